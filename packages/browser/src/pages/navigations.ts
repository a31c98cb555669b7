import { listen } from '../listen.js';

/** How the URL changed. */
export type HistoryChange = 'push' | 'replace' | 'traverse';

/** Calls the listener after each change of the URL within the document, by the Navigation API. Returns a function that ends it. */
export function onNavigation(listener: (change: HistoryChange) => void): () => void {
  return listen(navigation, ['currententrychange'], (event) => {
    const change = event instanceof NavigationCurrentEntryChangeEvent && event.navigationType;
    if (change && change !== 'reload') listener(change);
  });
}
