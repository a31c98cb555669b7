import type { Feature } from '@tidemark/client';
import { loadDeferred } from './load-deferred.js';
import type { BrowserOptions } from './options.js';

/** What the page's own start does not wait for: see `startLater`. */
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
