import { useSyncExternalStore } from 'react';

/** Whether a response reported that the session has ended. It belongs to the tab: the screen stays, and a log-in form covers it. */
let isLoggedOut = false;
const listeners = new Set<() => void>();

export function setLoggedOut(value: boolean): void {
  isLoggedOut = value;
  for (const listener of listeners) listener();
}

export const useLoggedOut = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => isLoggedOut,
  );
