import { useMemo, useRef } from 'react';
import { useActions } from './actions.js';

/** N creates an object, for people who may. @param label such as "New flag" */
export function useNewShortcut(label: string, isAllowed: boolean, perform: () => void): void {
  const latest = useRef(perform);
  latest.current = perform;
  useActions(
    useMemo(
      () => (isAllowed ? [{ id: 'new', label, group: 'This screen', shortcut: 'n', perform: () => latest.current() }] : []),
      [isAllowed, label],
    ),
  );
}
