import type { Platform } from './platform.js';

/** Where the browser reports changes, a look now and then finds what another subdomain wrote into the cookie. */
const LOOK_AFTER_MS = 1000;

/** Follows the other pages of a site, which share one store: open in tabs, or kept in the back/forward cache. */
export interface OtherPages {
  /** Takes over what other pages changed, once in a millisecond. */
  look(): void;
  /** The same, no more often than is necessary: for what is called often. `now`: epoch milliseconds, where the caller knows it. */
  glance(now?: number): void;
  /** The client has read everything and is complete; nothing is looked for before. */
  start(): void;
  stop?: (() => void) | undefined;
}

/** @param follow takes over what is stored now */
export function watchOtherPages({ store, onStoreChange, clock }: Platform, follow: () => void): OtherPages {
  let looked = 0;
  let looking = true;
  const look = (every = 1, now = clock.now()) => {
    // listeners that are called meanwhile look again
    if (looking || !onStoreChange || Math.abs(now - looked) < every) return;
    looked = now;
    looking = true;
    follow();
    looking = false;
  };
  return {
    look: () => look(),
    glance: (now) => look(store.reportsChanges && LOOK_AFTER_MS, now),
    start() {
      looked = clock.now();
      looking = false;
    },
    stop: onStoreChange?.(() => look(0)),
  };
}
