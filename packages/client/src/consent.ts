import type { ConsentStatus } from './client.js';
import type { ClientOptions } from './options.js';
import type { Log, Platform } from './platform.js';

export interface Consent {
  status(): ConsentStatus;
  isOptedOut(): boolean;
  /** Nothing may be kept on the device: the person said no, or nobody asks. */
  isCookieless(): boolean;
  set(status: 'granted' | 'denied'): void;
}

/** The one gate. Its answer is stored at once and apart from all else, since it decides whether anything else may be stored. */
export function createConsent(platform: Platform, key: string, options: () => ClientOptions, log: Log): Consent {
  let status: ConsentStatus = 'pending';
  try {
    const stored = platform.store.get(key);
    if (stored === 'granted' || stored === 'denied') status = stored;
  } catch {}

  const refused = () => status === 'denied' || (status === 'pending' && options().opt_out_by_default) || platform.doNotTrack?.();
  return {
    status: () => status,
    isOptedOut: () => !options().cookieless_mode && !!refused(),
    isCookieless() {
      const mode = options().cookieless_mode;
      return mode === 'always' || (mode === 'on_reject' && !!refused());
    },
    set(next) {
      status = next;
      try {
        platform.store.set(key, next);
      } catch (error) {
        log.warn('Storage failed:', error);
      }
    },
  };
}
