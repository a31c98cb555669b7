import type { ClientOptions } from './options.js';

/** A bucket of tokens that fills at a rate up to a burst, as the options say; false when it is empty. */
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
