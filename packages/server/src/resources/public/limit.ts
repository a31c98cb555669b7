import { clientNetwork } from '../../http/client-network.js';
import type { Clock } from '../../ports/system.js';

const WINDOW_MS = 60_000;
/** Requests a minute from one network: for one page, and for all of them. */
const FOR_PAGE = 60;
const FOR_ALL = 240;
/** Counters in memory at most; then all start again. */
const MAX_COUNTERS = 50_000;

/** Limits requests to public pages, per network and page. */
export interface Limit {
  /** Counts a request. Returns the seconds to wait when it exceeds the limit, else 0. */
  wait(ip: string, token: string): number;
}

/** Creates the limits of this process. They protect its load; guessing of passwords has its own limit in PostgreSQL. */
export function createLimit(clock: Clock): Limit {
  let begun = clock.now();
  let counts = new Map<string, number>();
  const count = (key: string): number => {
    const next = (counts.get(key) ?? 0) + 1;
    counts.set(key, next);
    return next;
  };
  return {
    wait: (ip, token) => {
      const now = clock.now();
      if (now - begun >= WINDOW_MS || now < begun || counts.size >= MAX_COUNTERS) {
        begun = now;
        counts = new Map();
      }
      const network = clientNetwork(ip);
      const isTooMuch = count(network) > FOR_ALL || count(`${network} ${token.slice(0, 40)}`) > FOR_PAGE;
      return isTooMuch ? Math.max(1, Math.ceil((begun + WINDOW_MS - now) / 1000)) : 0;
    },
  };
}
