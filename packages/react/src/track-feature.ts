import type { UseFeatureResult } from './use-feature.js';

export interface TrackedFeature {
  capture: UseFeatureResult<string>['capture'];
  /** Elements on the page; asked again each time. */
  content(): Element[];
  /** What the content stands in. */
  parent: Element;
  /** When the content counts as seen; without it, views are not captured. */
  view: (IntersectionObserverInit & { threshold: number[] }) | false;
  /** Whether clicks on the content are captured. */
  clicks: boolean;
  /** Told when options are not what observers understand. */
  warn(text: string): void;
}

/** Captures the first view of the content, and the first click on it. `refresh` looks for new elements, with the same observer. */
export function trackFeature({ capture, content, parent, view, clicks, warn }: TrackedFeature) {
  const onClick = ({ target }: Event) => {
    if (target instanceof Node && content().some((element) => element.contains(target))) capture('$feature_interaction');
  };
  // while it is caught: content may keep its clicks to itself
  if (clicks) parent.addEventListener('click', onClick, true);

  let observer: IntersectionObserver | undefined;
  const refresh = () => {
    const elements = content();
    // text alone cannot be observed
    for (const element of elements.length ? elements : [parent]) observer?.observe(element);
  };
  const stop = () => {
    observer?.disconnect();
    observer = undefined;
  };
  if (view) {
    try {
      observer = new IntersectionObserver((entries) => {
        // browsers differ in whether less than the threshold is intersecting at the first look
        if (!entries.some((entry) => entry.isIntersecting && entry.intersectionRatio >= Math.min(...view.threshold))) return;
        stop();
        capture('$feature_view');
      }, view);
      refresh();
    } catch (error) {
      warn(`AnalyticsFeature: ${error}`);
    }
  }
  return {
    refresh,
    stop: () => {
      stop();
      parent.removeEventListener('click', onClick, true);
    },
  };
}
