import { clientNetwork } from '../../http/client-network.js';
import { createRateCounter } from '../../http/rate-counter.js';
import type { Clock } from '../../ports/system.js';

const WINDOW_MS = 60_000;
/** Requests a minute from one network: for one page, and for all of them. */
const FOR_PAGE = 60;
const FOR_ALL = 240;

/** Limits requests to public pages, per network and page. */
export interface Limit {
  /** Counts a request. Returns the seconds to wait when it exceeds the limit, else 0. */
  wait(ip: string, token: string): number;
}

/** Creates the limits of this process. They protect its load; guessing of passwords has its own limit in PostgreSQL. */
export function createLimit(clock: Clock): Limit {
  const countNetwork = createRateCounter([{ limit: FOR_ALL, ms: WINDOW_MS }]);
  const countPage = createRateCounter([{ limit: FOR_PAGE, ms: WINDOW_MS }]);
  return {
    wait: (ip, token) => {
      const now = clock.now();
      const network = clientNetwork(ip);
      return Math.ceil((countNetwork(network, now) || countPage(`${network} ${token.slice(0, 40)}`, now)) / 1000);
    },
  };
}
