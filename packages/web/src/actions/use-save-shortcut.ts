import { useMemo, useRef } from 'react';
import { useActions } from './actions.js';

/** S saves while there is something to save. @param label such as "Save flag"; @param perform null: there is nothing to save */
export function useSaveShortcut(label: string, perform: (() => void) | null): void {
  const isOffered = perform !== null;
  const latest = useRef(perform);
  latest.current = perform;
  useActions(
    useMemo(
      () => (isOffered ? [{ id: 'save', label, group: 'This screen', shortcut: 's', perform: () => latest.current?.() }] : []),
      [isOffered, label],
    ),
  );
}
