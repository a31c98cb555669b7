import { listen } from '../listen.js';

/** Calls the listener when the page is hidden or unloaded: on phones a hidden page may end without another event. Returns a function that ends it. */
export function onHide(listener: () => void): () => void {
  const ends = [
    listen(window, ['pagehide'], listener),
    listen(document, ['visibilitychange'], () => {
      if (document.visibilityState === 'hidden') listener();
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}
