import type { ConsentStatus } from './client.js';
import type { ClientOptions } from './options.js';
import type { Log, Platform } from './platform.js';

export interface Consent {
  status(): ConsentStatus;
  isOptedOut(): boolean;
  /** Code of the reason why nothing is captured, for the log; undefined: nothing forbids it. */
  refusal(): string | undefined;
  /** Nothing may be stored on the device: `cookieless_mode` is `always`, or `on_reject` and the person has refused. */
  isCookieless(): boolean;
  set(status: 'granted' | 'denied'): void;
  /** Reads the stored answer again; true when another page has changed it. */
  refresh(): boolean;
}

/** Decides whether events may be captured and values be stored. The answer is stored at once and under its own key, since all other storage depends on it. */
export function createConsent(platform: Platform, key: string, options: ClientOptions, log: Log): Consent {
  let status: ConsentStatus = 'pending';
  /** The stored text as last read or written: any other text is from another page. */
  let seen: string | null = null;
  const refresh = () => {
    const before = status;
    try {
      const stored = platform.store.get(key);
      if (stored !== seen && (stored === 'granted' || stored === 'denied')) status = stored;
      seen = stored;
    } catch {}
    return status !== before;
  };
  refresh();

  const refusal = () => {
    if (status === 'denied') return 'denied';
    return status === 'pending' && options.opt_out_by_default ? 'default' : platform.refusal?.();
  };
  return {
    status: () => status,
    refusal,
    isOptedOut: () => !options.cookieless_mode && !!refusal(),
    isCookieless() {
      const mode = options.cookieless_mode;
      return mode === 'always' || (mode === 'on_reject' && !!refusal());
    },
    refresh,
    set(next) {
      status = next;
      try {
        platform.store.set(key, next);
        seen = next;
      } catch (error) {
        log.warn('consent', error);
      }
    },
  };
}
