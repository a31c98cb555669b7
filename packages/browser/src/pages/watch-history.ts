import type { HistoryChange } from './navigations.js';

/** `onHistoryChange`, loaded by browsers that need it: those without the Navigation API. */
export const watchHistory = (listener: (change: HistoryChange) => void): Promise<() => void> =>
  import('./history-changes.js').then(
    ({ onHistoryChange }) => onHistoryChange(listener),
    () => () => {},
  );
