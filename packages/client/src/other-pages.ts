import type { Platform } from './platform.js';

/** Where the browser reports changes of storage, only the cookie, which another subdomain may write, must be polled. */
const POLL_MS = 1000;

/** Adopts changes of other pages of the site, which share one store: pages in other tabs, or before this one in the back/forward cache. */
export interface OtherPages {
  /** Adopts what other pages have changed, at most once in a millisecond. */
  refresh(): void;
  /** The same, at most each second where the browser reports changes: for methods that are called often. `now`: epoch milliseconds. */
  poll(now?: number): void;
  /** The client is complete. Until then nothing is refreshed, since all has just been read. */
  start(): void;
  stop?: (() => void) | undefined;
}

/** @param follow adopts the stored values */
export function watchOtherPages({ store, onStoreChange, clock }: Platform, follow: () => void): OtherPages {
  let refreshedAt = 0;
  /** Also before the start. */
  let isBusy = true;
  const refresh = (every = 1, now = clock.now()) => {
    // the listeners that `follow` calls use the client, too
    if (isBusy || !onStoreChange || Math.abs(now - refreshedAt) < every) return;
    refreshedAt = now;
    isBusy = true;
    follow();
    isBusy = false;
  };
  return {
    refresh: () => refresh(),
    poll: (now) => refresh(store.reportsChanges && POLL_MS, now),
    start() {
      refreshedAt = clock.now();
      isBusy = false;
    },
    stop: onStoreChange?.(() => refresh(0)),
  };
}
