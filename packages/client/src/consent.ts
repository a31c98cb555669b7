import type { ConsentStatus } from './client.js';
import type { ClientOptions } from './options.js';
import type { Log, Platform } from './platform.js';

export interface Consent {
  status(): ConsentStatus;
  isOptedOut(): boolean;
  /** Why nothing is captured or stored, for the developer. */
  refusal(): string | undefined;
  /** Nothing may be kept on the device: the person said no, or nobody asks. */
  isCookieless(): boolean;
  set(status: 'granted' | 'denied'): void;
  /** Reads again what is stored; true when another page stored another answer. */
  refresh(): boolean;
}

/** The one gate. Its answer is stored at once and apart from all else, since it decides whether anything else may be stored. */
export function createConsent(platform: Platform, key: string, options: ClientOptions, log: Log): Consent {
  let status: ConsentStatus = 'pending';
  /** The text last read or written: any other text comes from another page. */
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
