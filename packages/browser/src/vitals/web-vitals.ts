import type { Feature, Properties } from '@tidemark/client';
import { type MetricType, onCLS, onFCP, onINP, onLCP } from 'web-vitals';

export type WebVital = 'LCP' | 'CLS' | 'FCP' | 'INP';

/** Which vitals are captured, and how long they are gathered. */
export interface WebVitalsOptions {
  /** Default: all four. */
  metrics?: readonly WebVital[];
  /** Milliseconds from the first value to the event that carries all that came. Default 5000. */
  gather_ms?: number;
}

const WATCH: Record<WebVital, (report: (metric: MetricType) => void) => void> = {
  LCP: onLCP,
  CLS: onCLS,
  FCP: onFCP,
  INP: onINP,
};

/**
 * Captures how fast the page loads and answers, as `$web_vitals`.
 * @example init('tmk_…', { features: [webVitals()] })
 */
export function webVitals({ metrics = ['LCP', 'CLS', 'FCP', 'INP'], gather_ms = 5_000 }: WebVitalsOptions = {}): Feature {
  return {
    name: 'webVitals',
    setup(client, { platform, guard }) {
      let ended = false;
      let gathered: Properties = {};
      let timer: unknown;
      const send = () => {
        platform.timers.clear(timer);
        timer = undefined;
        const properties = gathered;
        gathered = {};
        if (Object.keys(properties).length) client.capture('$web_vitals', properties);
      };
      const report = ({ name, value, delta, id, rating, navigationType }: MetricType) => {
        if (ended) return;
        const about = { $current_url: location.href, $session_id: client.getSessionId(), timestamp: platform.clock.now() };
        gathered[`$web_vitals_${name}_value`] = value;
        gathered[`$web_vitals_${name}_event`] = { name, value, delta, id, rating, navigationType, ...about };
        timer ??= platform.timers.set(send, gather_ms);
      };
      for (const metric of metrics) WATCH[metric]((found) => guard(() => report(found)));
      // web-vitals reports the last values when the page is hidden: this listener must run after that one
      const stop = platform.onHide?.(() => guard(send));
      return () => {
        ended = true;
        stop?.();
        platform.timers.clear(timer);
      };
    },
  };
}
