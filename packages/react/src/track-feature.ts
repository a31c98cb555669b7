import type { UseFeatureResult } from './use-feature.js';

export interface TrackedFeature {
  capture: UseFeatureResult<string>['capture'];
  /** What is on the page of it; asked again each time. */
  content(): Node[];
  /** What the content stands in. */
  parent: Element;
  /** When the content counts as seen; without it, views are not captured. */
  view: (IntersectionObserverInit & { threshold: number[] }) | false;
  /** Whether clicks on the content are captured. */
  clicks: boolean;
  /** Told when options are not what observers understand. */
  warn(text: string): void;
}

/** Captures the first view of the content, and the first click on it. Answers what ends that. */
export function trackFeature({ capture, content, parent, view, clicks, warn }: TrackedFeature): () => void {
  const onClick = ({ target }: Event) => {
    if (target instanceof Node && content().some((node) => node.contains(target))) capture('$feature_interaction');
  };
  // while it is caught: content may keep its clicks to itself
  if (clicks) parent.addEventListener('click', onClick, true);

  let observer: IntersectionObserver | undefined;
  const observe = () => {
    const nodes = content();
    const elements = nodes.filter((node): node is Element => node.nodeType === Node.ELEMENT_NODE);
    // text alone cannot be observed, and where nothing is, nothing can be seen
    for (const element of elements.length || !nodes.length ? elements : [parent]) observer?.observe(element);
  };
  // content may be replaced by itself, as what is loaded later is
  const changes = new MutationObserver(observe);
  const stop = () => {
    changes.disconnect();
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
      observe();
      changes.observe(parent, { childList: true });
    } catch (error) {
      warn(`AnalyticsFeature: ${error}`);
    }
  }
  return () => {
    stop();
    parent.removeEventListener('click', onClick, true);
  };
}
