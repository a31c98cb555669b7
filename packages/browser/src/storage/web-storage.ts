import type { Store } from '@tidemark/client';

const PROBE = 'tm_try';

/**
 * The browser's storage, or undefined where it is blocked: reading the property may throw. A full storage can still be read.
 * @param probe whether an empty storage must accept a value
 */
export function webStorage(kind: 'localStorage' | 'sessionStorage', probe = true): Store | undefined {
  try {
    const storage = window[kind];
    if (!storage.length && probe) {
      storage.setItem(PROBE, '1');
      storage.removeItem(PROBE);
    }
    return {
      get: (key) => storage.getItem(key),
      set: (key, text) => storage.setItem(key, text),
      remove: (key) => storage.removeItem(key),
      reportsChanges: true,
      keys: () => Object.keys(storage),
    };
  } catch {
    return undefined;
  }
}
