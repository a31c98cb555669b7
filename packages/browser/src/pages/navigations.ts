import { listen } from '../listen.js';

/** How the address changed. */
export type HistoryChange = 'push' | 'replace' | 'traverse';

/** Calls back after each change of the address within the document, where the browser tells; answers what ends that. */
export function onNavigation(listener: (change: HistoryChange) => void): () => void {
  return listen(navigation, ['currententrychange'], (event) => {
    const change = event instanceof NavigationCurrentEntryChangeEvent && event.navigationType;
    if (change && change !== 'reload') listener(change);
  });
}
