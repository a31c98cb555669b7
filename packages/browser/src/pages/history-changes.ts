import { listen } from '../listen.js';
import { type HistoryChange, hasNavigation, onNavigation } from './navigations.js';

/** Calls the listener after each change of the URL within the document. Returns a function that ends it. */
export function onHistoryChange(listener: (change: HistoryChange) => void): () => void {
  return hasNavigation() ? onNavigation(listener) : byPatch(listener);
}

/** For browsers without the Navigation API: wraps the methods of `history`, and restores them at the end. */
function byPatch(listener: (change: HistoryChange) => void): () => void {
  let ended = false;
  const patch = (change: 'push' | 'replace') => {
    const method = `${change}State` as const;
    const original = history[method];
    const patched: History['pushState'] = function (this: History, ...args) {
      original.apply(this, args);
      if (!ended) listener(change);
    };
    history[method] = patched;
    return () => {
      // other code may have patched the method again: leave its patch in place
      if (history[method] === patched) history[method] = original;
    };
  };
  const ends = [patch('push'), patch('replace'), listen(window, ['popstate'], () => listener('traverse'))];
  return () => {
    ended = true;
    for (const end of ends) end();
  };
}
