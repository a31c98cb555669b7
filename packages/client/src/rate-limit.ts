import type { ClientOptions } from './options.js';

/** A token bucket with the rate and burst of the options. The returned function takes a token, or returns false when there is none. */
export function createRateLimit(start: number, options: ClientOptions): (now: number) => boolean {
  let tokens = 1e9;
  let last = start;
  return (now) => {
    const { events_per_second: perSecond = 10, events_burst_limit: burst = perSecond * 10 } = options.rate_limiting ?? {};
    tokens = Math.min(burst, tokens + (Math.max(0, now - last) / 1000) * perSecond);
    last = now;
    if (tokens < 1) return false;
    tokens--;
    return true;
  };
}
