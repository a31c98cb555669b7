import { useMemo } from 'react';
import { useSessionState } from './session-state.js';

/** A draft with changes, and what it started from. */
interface Edited<Draft> {
  base: Draft;
  draft: Draft;
}

export interface StoredDraft<Draft> {
  draft: Draft;
  /** What the draft started from: the object as it was then. */
  base: Draft;
  isChanged: boolean;
  edit: (change: Partial<Draft>) => void;
  /** Forgets the changes: the screen shows the object as it is. @returns brings them back */
  discard: () => () => void;
  /** Changes fields of the draft and of what it started from: a change that is stored already. */
  rebase: (stored: Partial<Draft>) => void;
  /**
   * Ends the changes that were saved. Changes that were made while they were being saved remain, and start from what is stored now.
   * @param sent the draft that was saved
   * @param stored the draft of the object as it is stored since then
   */
  noteSaved: (sent: Draft, stored: Draft) => void;
}

/**
 * The unsaved changes of a form. They survive a reload of the tab.
 * @param place names the object in the storage of the tab
 * @param clean the draft of the object as it is stored
 */
export function useStoredDraft<Draft extends object>(place: string, clean: Draft): StoredDraft<Draft> {
  const [found, setEdited] = useSessionState<Edited<Draft>>(place);
  // an older version of the app may have stored it without some fields
  const edited = useMemo(
    () => found && { base: { ...clean, ...found.base }, draft: { ...clean, ...found.draft } },
    [found, clean],
  );
  return {
    draft: edited?.draft ?? clean,
    base: edited?.base ?? clean,
    isChanged: edited !== null,
    edit: (change) =>
      setEdited((before) => {
        const base = before?.base ?? clean;
        const draft = { ...(before?.draft ?? clean), ...change };
        return JSON.stringify(draft) === JSON.stringify(base) ? null : { base, draft };
      }),
    discard: () => {
      // at once: the screen may leave before the effect runs
      sessionStorage.removeItem(place);
      setEdited(null);
      return () => setEdited(found);
    },
    rebase: (stored) =>
      setEdited((before) => before && { base: { ...before.base, ...stored }, draft: { ...before.draft, ...stored } }),
    noteSaved: (sent, stored) =>
      setEdited((now) => {
        const later = now ? changedFields(now.draft, sent) : {};
        return Object.keys(later).length === 0 ? null : { base: stored, draft: { ...stored, ...later } };
      }),
  };
}

/** The fields of `next` whose values differ from those of `before`. */
export const changedFields = <Fields extends object>(next: Fields, before: Fields): Partial<Fields> =>
  Object.fromEntries(
    Object.entries(next).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify((before as Record<string, unknown>)[name]),
    ),
  ) as Partial<Fields>;
