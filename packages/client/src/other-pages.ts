import type { Platform } from './platform.js';

/** Where the browser reports changes, a look now and then finds what another subdomain wrote into the cookie. */
const LOOK_AFTER_MS = 1000;

/** Follows the other pages of a site, which share one store: open in tabs, or kept in the back/forward cache. */
export interface OtherPages {
  /** Takes over what other pages changed, once in a millisecond. */
  look(): void;
  /** The same, no more often than is necessary: for what is called often. */
  glance(): void;
  stop?: (() => void) | undefined;
}

/** @param follow takes over what is stored now */
export function watchOtherPages({ store, onStoreChange, clock }: Platform, follow: () => void): OtherPages {
  let looked = 0;
  let looking = false;
  const look = (every = 1) => {
    const now = clock.now();
    // listeners that are called meanwhile look again
    if (looking || !onStoreChange || Math.abs(now - looked) < every) return;
    looked = now;
    looking = true;
    follow();
    looking = false;
  };
  return {
    look,
    glance: () => look(store.reportsChanges && LOOK_AFTER_MS),
    stop: onStoreChange?.(() => look(0)),
  };
}
