import type { FlagKey } from '@tidemark/client';
import { type AnalyticsFeatureProps as ReactProps, useFeature } from '@tidemark/react/slim';
import { type ReactNode, useContext, useEffect } from 'react';
import { TapsAreTold, TapTarget } from './touch/tap-target.js';

/** Those of the React package, without its options for an observer: views count as seen when they are mounted. */
export type AnalyticsFeatureProps<Key extends FlagKey> = Omit<ReactProps<Key>, 'visibilityObserverOptions'>;

let said = false;

/**
 * Shows its content to those for whom the flag matches, and captures once each that it was there and that it was tapped. There is no
 * view around the content. Apps that know better when it is seen, as lists do, say so by `trackView`. Taps are told by the
 * `TouchAutocapture` around it.
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
  const deaf = !useContext(TapsAreTold) && trackInteraction;

  useEffect(() => {
    if (matches && trackView) capture('$feature_view');
  }, [matches, trackView, capture]);

  useEffect(() => {
    if (!deaf || said) return;
    said = true;
    console.warn('[tidemark] AnalyticsFeature hears of taps from a TouchAutocapture around it, and there is none.');
  }, [deaf]);

  if (!matches) return fallback;
  return (
    <TapTarget onTap={trackInteraction ? () => capture('$feature_interaction') : undefined}>
      {typeof children === 'function' ? children(payload) : children}
    </TapTarget>
  );
}
