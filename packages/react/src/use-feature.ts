import type { FlagKey, FlagPayloadOf, FlagVariantOf } from '@tidemark/client';
import { useCallback, useRef } from 'react';
import { useAnalytics, useScope } from './use-analytics.js';
import { useFeatureFlagPayload, useFeatureFlagVariantKey } from './use-flag.js';

/** What a component needs that shows something by a flag. */
export interface UseFeatureResult<Key extends FlagKey> {
  /** Whether the flag is on, or has the variant of `match`. */
  matches: boolean;
  payload: FlagPayloadOf<Key> | null | undefined;
  /** Captures that it was seen or used; each once for the component, and not before there is a client. */
  capture(event: '$feature_view' | '$feature_interaction'): void;
}

/**
 * For components that show a feature elsewhere than in a page, or know better than `AnalyticsFeature` when it is seen.
 *
 * @example
 * ```tsx
 * const { matches, capture } = useFeature('layout', 'test');
 * return matches ? <Grid onLayout={() => capture('$feature_view')} /> : <List />;
 * ```
 */
export function useFeature<Key extends FlagKey>(flag: Key, match: true | FlagVariantOf<Key> = true): UseFeatureResult<Key> {
  const value = useFeatureFlagVariantKey(flag);
  const payload = useFeatureFlagPayload(flag);
  const scope = useScope();
  const client = useAnalytics();
  const captured = useRef(new Set<string>());
  const capture: UseFeatureResult<Key>['capture'] = useCallback(
    (event) => {
      const name = `${event}/${flag}`;
      if (!client || captured.current.has(name)) return;
      captured.current.add(name);
      const now = scope.flag(flag).value.now();
      client.capture(event, {
        feature_flag: flag,
        ...(typeof now === 'string' && { feature_flag_variant: now }),
        $set: { [name]: now },
      });
    },
    [scope, client, flag],
  );
  return { matches: match === true ? Boolean(value) : value === match, payload, capture };
}
