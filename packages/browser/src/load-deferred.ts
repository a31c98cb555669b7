import type { Platform } from '@tidemark/client';

/** What is loaded after the page's own start; undefined when it could not be. */
export function loadDeferred({ timers }: Platform): Promise<typeof import('./deferred.js') | undefined> {
  return new Promise((resolve) => {
    timers.set(() => import('./deferred.js').then(resolve, () => resolve(undefined)), 0);
  });
}
