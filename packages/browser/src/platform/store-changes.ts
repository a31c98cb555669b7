import { listen } from '../listen.js';

/**
 * Calls the listener when another page may have changed the storage: on a `storage` event, on the way back from the back/forward cache, and when the
 * page becomes visible. Returns a function that ends it.
 */
export function onStoreChange(listener: () => void): () => void {
  // in the capture phase, so that the events of other listeners are from the current person
  return listen(window, ['storage', 'pageshow', 'visibilitychange'], listener, true);
}
