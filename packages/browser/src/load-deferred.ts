import { whenIdle } from './when-idle.js';

type Deferred = typeof import('./deferred.js') | undefined;

let loading: Promise<Deferred> | undefined;

/** Loads `deferred.js` when the page is idle, once for all features; undefined when it could not be loaded. */
export function loadDeferred(): Promise<Deferred> {
  loading ??= new Promise((resolve) => {
    whenIdle(() => import('./deferred.js').then(resolve, () => resolve(undefined)));
  });
  return loading;
}
