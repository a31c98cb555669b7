import { useMemo, useRef } from 'react';
import { useActions } from '../../actions/actions.js';

/** S saves while there is something to save. */
export function useSaveShortcut(perform: (() => void) | null): void {
  const isOffered = perform !== null;
  const latest = useRef(perform);
  latest.current = perform;
  useActions(
    useMemo(
      () =>
        isOffered
          ? [{ id: 'save', label: 'Save flag', group: 'This screen', shortcut: 's', perform: () => latest.current?.() }]
          : [],
      [isOffered],
    ),
  );
}
