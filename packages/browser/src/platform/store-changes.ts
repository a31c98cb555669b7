import { listen } from '../listen.js';

/**
 * Calls back when another page may have changed what is stored: while this one is open in another tab, is in the back/forward cache, or is
 * hidden. Returns what ends that.
 */
export function onStoreChange(listener: () => void): () => void {
  // in the capture phase, so that what other listeners capture is from the person who is stored
  return listen(window, ['storage', 'pageshow', 'visibilitychange'], listener, true);
}
