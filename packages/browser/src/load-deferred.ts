import { whenIdle } from './when-idle.js';

/** What is loaded after the page's own start; undefined when it could not be. */
export function loadDeferred(): Promise<typeof import('./deferred.js') | undefined> {
  return new Promise((resolve) => {
    whenIdle(() => import('./deferred.js').then(resolve, () => resolve(undefined)));
  });
}
