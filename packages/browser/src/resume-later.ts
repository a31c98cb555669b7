import type { Feature } from '@tidemark/client';
import { whenIdle } from './when-idle.js';

/** `resume()` of the core, loaded only where other pages have stored something. */
export function resumeLater(): Feature {
  return {
    name: 'resume',
    setup(client, internals) {
      let end: undefined | (() => void);
      if (internals.stored.ofOtherPages('queue').size) {
        whenIdle(() => {
          import('./resume.js').then(
            ({ resume }) => {
              if (client.isInitialized) end = internals.guard(() => resume().setup(client, internals));
            },
            // they stay stored
            () => {},
          );
        });
      }
      return () => end?.();
    },
  };
}
