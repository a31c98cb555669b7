import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';

/** Some parameters of a screen's address, with their new values; undefined removes one. */
export type SearchChange<Search> = { [Key in keyof Search]?: Search[Key] | undefined };

/**
 * Returns the function that changes some parameters of the present screen's address, and leaves the others as they are.
 * Its `replace` false adds an entry to the browser's history, so that the back button undoes the change.
 */
export function useSearchChange<Search extends object>(): (change: SearchChange<Search>, replace?: boolean) => void {
  const navigate = useNavigate();
  return useCallback(
    (change, replace = true) =>
      void navigate({ to: '.', search: ((before: object) => ({ ...before, ...change })) as never, replace }),
    [navigate],
  );
}
