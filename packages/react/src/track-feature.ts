import type { UseFeatureResult } from './use-feature.js';

export interface TrackedFeature {
  capture: UseFeatureResult<string>['capture'];
  /** The elements of the content; called each time. */
  content(): Node[];
  /** The parent of the content. */
  parent: Element;
  /** When the content counts as seen; without it, views are not captured. */
  view: (IntersectionObserverInit & { threshold: number[] }) | false;
  /** Whether clicks on the content are captured. */
  clicks: boolean;
  /** Called when the options of the observer are invalid. */
  warn(text: string): void;
}

/** Captures the first view of the content, and the first click on it. Returns a function that ends it. */
export function trackFeature({ capture, content, parent, view, clicks, warn }: TrackedFeature): () => void {
  const onClick = ({ target }: Event) => {
    if (target instanceof Node && content().some((node) => node.contains(target))) capture('$feature_interaction');
  };
  // in the capture phase: the content may stop the propagation of clicks
  if (clicks) parent.addEventListener('click', onClick, true);

  let observer: IntersectionObserver | undefined;
  const observe = () => {
    const nodes = content();
    const elements = nodes.filter((node): node is Element => node.nodeType === Node.ELEMENT_NODE);
    // text alone cannot be observed, and where nothing is, nothing can be seen
    for (const element of elements.length || !nodes.length ? elements : [parent]) observer?.observe(element);
  };
  // the content may replace itself, such as after lazy loading
  const changes = new MutationObserver(observe);
  const stop = () => {
    changes.disconnect();
    observer?.disconnect();
    observer = undefined;
  };
  if (view) {
    try {
      observer = new IntersectionObserver((entries) => {
        // browsers differ in `isIntersecting` below the threshold at the first callback
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
