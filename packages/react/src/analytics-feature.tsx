import type { FlagKey, FlagPayloadOf, FlagVariantOf } from '@tidemark/client';
import { type ReactNode, useEffect, useRef } from 'react';
import { trackFeature } from './track-feature.js';
import { useAnalytics, useScope } from './use-analytics.js';
import { type UseFeatureResult, useFeature } from './use-feature.js';

/** The flag, the content, and the tracking of the component. */
export interface AnalyticsFeatureProps<Key extends FlagKey> {
  /** The key of the flag. */
  flag: Key;
  /** Shows the content when the flag is on (true, the default), or has this variant. */
  match?: true | FlagVariantOf<Key> | undefined;
  /** Shown otherwise. */
  fallback?: ReactNode;
  /** Options of the IntersectionObserver; the threshold is 0.1 by default. */
  visibilityObserverOptions?: IntersectionObserverInit | undefined;
  /** False: `$feature_view` is not captured. */
  trackView?: boolean | undefined;
  /** False: `$feature_interaction` is not captured. */
  trackInteraction?: boolean | undefined;
  /** The content, or a function that renders it with the flag's payload. */
  children?: ReactNode | ((payload: FlagPayloadOf<Key> | null | undefined) => ReactNode);
}

/**
 * Shows its content to those for whom the flag matches, and captures once each that they saw it and that they clicked it. There is
 * no element around the content.
 *
 * @example
 * ```tsx
 * <AnalyticsFeature flag="layout" match="test" fallback={<List />}>
 *   {(payload) => <Grid columns={payload?.columns} />}
 * </AnalyticsFeature>
 * ```
 */
export function AnalyticsFeature<Key extends FlagKey>(props: AnalyticsFeatureProps<Key>): ReactNode {
  const { flag, match = true, fallback, children } = props;
  const feature = useFeature(flag, match);
  const [start, end] = useTracking(props, feature);
  if (!feature.matches) return fallback;
  // templates have no box and are allowed in lists and tables: they mark where the content is without a wrapper
  const content = typeof children === 'function' ? children(feature.payload) : children;
  return (
    <>
      <template ref={start} />
      {isText(content) ? <span>{content}</span> : content}
      <template ref={end} />
    </>
  );
}

/** Captures views and clicks of the content between the two markers. */
function useTracking<Key extends FlagKey>(props: AnalyticsFeatureProps<Key>, { matches, capture }: UseFeatureResult<Key>) {
  const { visibilityObserverOptions: options = {}, trackView = true, trackInteraction = true } = props;
  const { warn } = useScope();
  const client = useAnalytics();
  const start = useRef<HTMLTemplateElement>(null);
  const end = useRef<HTMLTemplateElement>(null);
  const { root = null, rootMargin = '0px', threshold = 0.1 } = options;
  // by content: options are most often written in place, which makes new ones for each render
  const thresholds = String(threshold);

  useEffect(() => {
    const parent = start.current?.parentElement;
    if (!matches || !client || !parent) return;
    return trackFeature({
      capture,
      content: () => contentBetween(start.current, end.current),
      view: trackView && { root, rootMargin, threshold: thresholds.split(',').map(Number) },
      parent,
      clicks: trackInteraction,
      warn,
    });
  }, [warn, client, capture, matches, trackView, trackInteraction, root, rootMargin, thresholds]);

  return [start, end] as const;
}

/** The elements and texts between the markers, without the comments of React. */
function contentBetween(start: Node | null, end: Node | null): Node[] {
  const nodes: Node[] = [];
  for (let next = start?.nextSibling; next && next !== end; next = next.nextSibling) {
    if (next.nodeType !== Node.COMMENT_NODE) nodes.push(next);
  }
  return nodes;
}

/** Whether it is text and nothing else that is shown: text is neither observed nor clicked without an element. */
function isText(content: ReactNode): boolean {
  const shown = [content].flat().filter((part) => part != null && typeof part !== 'boolean');
  return shown.length > 0 && shown.every((part) => typeof part !== 'object');
}
