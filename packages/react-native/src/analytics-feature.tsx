import type { FlagKey } from '@tidemark/client';
import { type AnalyticsFeatureProps as ReactProps, useFeature } from '@tidemark/react/slim';
import { type ReactNode, useContext, useEffect } from 'react';
import { TapsAreCaptured, TapTarget } from './touch/tap-target.js';

/** Those of the React package, without its options for an observer: views count as seen when they are mounted. */
export type AnalyticsFeatureProps<Key extends FlagKey> = Omit<ReactProps<Key>, 'visibilityObserverOptions'>;

let warned = false;

/**
 * Renders its children when the flag matches, and captures one view and one tap event. It adds no
 * native view. Apps that know when the content becomes visible, as lists do, set `trackView`. Taps come from the
 * surrounding `TouchAutocapture`.
 *
 * @example
 * ```tsx
 * <AnalyticsFeature flag="layout" match="test" fallback={<List />}>
 *   {(payload) => <Grid columns={payload?.columns} />}
 * </AnalyticsFeature>
 * ```
 */
export function AnalyticsFeature<Key extends FlagKey>(props: AnalyticsFeatureProps<Key>): ReactNode {
  const { flag, match = true, fallback, trackView = true, trackInteraction = true, children } = props;
  const { matches, payload, capture } = useFeature(flag, match);
  const lacksAutocapture = !useContext(TapsAreCaptured) && trackInteraction;

  useEffect(() => {
    if (matches && trackView) capture('$feature_view');
  }, [matches, trackView, capture]);

  useEffect(() => {
    if (!lacksAutocapture || warned) return;
    warned = true;
    console.warn('[tidemark] AnalyticsFeature hears of taps from a TouchAutocapture around it, and there is none.');
  }, [lacksAutocapture]);

  if (!matches) return fallback;
  return (
    <TapTarget onTap={trackInteraction ? () => capture('$feature_interaction') : undefined}>
      {typeof children === 'function' ? children(payload) : children}
    </TapTarget>
  );
}
