import type { Feature } from '@tidemark/client';
import { loadDeferred } from './load-deferred.js';
import type { BrowserOptions } from './options.js';

/** Loads and starts, after the start of the page, what `startLater` lists. */
export function later(given: BrowserOptions): Feature {
  return {
    name: 'later',
    setup(client, internals) {
      let end: undefined | (() => void);
      void loadDeferred().then((loaded) => {
        if (client.isInitialized) end = internals.guard(() => loaded?.startLater(client, internals, given));
      });
      return () => end?.();
    },
  };
}
