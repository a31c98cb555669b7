import type { ClientOptions } from './options.js';

/** A bucket of tokens that fills at a rate up to a burst, as the options say; false when it is empty. */
export function createRateLimit(now: () => number, options: ClientOptions): () => boolean {
  let tokens = 1e9;
  let last = now();
  return () => {
    const { events_per_second: perSecond = 10, events_burst_limit: burst = perSecond * 10 } = options.rate_limiting ?? {};
    const at = now();
    tokens = Math.min(burst, tokens + ((at - last) / 1000) * perSecond);
    last = at;
    if (tokens < 1) return false;
    tokens--;
    return true;
  };
}
