import type { Client, FlagValue } from '@tidemark/client';

export interface TrackedFeature {
  client: Client;
  flag: string;
  /** The flag's value at the time. */
  value(): FlagValue | undefined;
  /** What this component has captured already; added to. */
  captured: Set<string>;
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
export function trackFeature({ client, flag, value, captured, content, parent, view, clicks, warn }: TrackedFeature) {
  const capture = (event: string) => {
    const name = `${event}/${flag}`;
    if (captured.has(name)) return;
    captured.add(name);
    const now = value();
    client.capture(event, {
      feature_flag: flag,
      ...(typeof now === 'string' && { feature_flag_variant: now }),
      $set: { [name]: now },
    });
  };

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
