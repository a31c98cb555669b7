type Deferred = typeof import('./deferred.js') | undefined;

let loading: Promise<Deferred> | undefined;

/** Loads `deferred.js` when the page is idle, once for all features; undefined when it could not be loaded. */
export function loadDeferred(): Promise<Deferred> {
  loading ??= new Promise((resolve) => {
    whenIdle(() => import('./deferred.js').then(resolve, () => resolve(undefined)));
  });
  return loading;
}

/** Runs when the page has nothing else to do, or after a second: some pages always have. */
export const whenIdle = (run: () => void): unknown =>
  (globalThis.requestIdleCallback ?? ((later: () => void) => setTimeout(later)))(run, { timeout: 1e3 });
