import { listen } from '../listen.js';

/** How the URL changed. */
export type HistoryChange = 'push' | 'replace' | 'traverse';

/**
 * Whether the browser has the Navigation API. A page may have an element with that id, which browsers without the API make a member of `window`, or
 * a variable of that name.
 */
export const hasNavigation = (): boolean => !!window.navigation?.currentEntry;

/** Calls the listener after each change of the URL within the document, by the Navigation API. Returns a function that ends it. */
export function onNavigation(listener: (change: HistoryChange) => void): () => void {
  return listen(window.navigation, ['currententrychange'], (event) => {
    const change = event instanceof NavigationCurrentEntryChangeEvent && event.navigationType;
    if (change && change !== 'reload') listener(change);
  });
}
