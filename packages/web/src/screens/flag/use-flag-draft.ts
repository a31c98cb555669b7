import { useCallback, useMemo } from 'react';
import type { Flag } from '../../data/flags.js';
import { useSessionState } from '../../data/session-state.js';
import type { Difference } from '../../ui/DifferenceTable.js';
import { differencesOf } from './differences.js';
import { draftOf, type FlagDraft } from './draft.js';

/** A draft with changes, and the flag that it started from; null: a new flag. */
interface Edited {
  base: Flag | null;
  draft: FlagDraft;
}

export interface FlagEditing {
  draft: FlagDraft;
  /** The flag that the draft started from; null: a new flag. */
  base: Flag | null;
  changes: Difference[];
  edit: (change: Partial<FlagDraft>) => void;
  /** Forgets the changes: the screen shows the flag as it is. */
  discard: () => void;
  /** Keeps the changes, and starts from a newer state of the flag, whose other fields were changed by this person. */
  rebase: (flag: Flag) => void;
  /** Ends the changes that were saved. Those made after `sent`, while it was being saved, remain and start from `flag`. */
  noteSaved: (sent: FlagDraft, flag: Flag) => void;
}

/** The unsaved changes of a flag. They survive a reload of the tab. @param flag null: a new flag */
export function useFlagDraft(project: string, flag: Flag | null): FlagEditing {
  const [edited, setEdited] = useSessionState<Edited>(`flag-draft:${project}:${flag?.id ?? 'new'}`);
  const base = edited ? edited.base : flag;
  const clean = useMemo(() => draftOf(base), [base]);
  const draft = edited?.draft ?? clean;
  const changes = useMemo(() => differencesOf(clean, draft), [clean, draft]);
  return {
    draft,
    base,
    changes,
    edit: (change) =>
      setEdited((before) => {
        const from = before ?? { base: flag, draft: draftOf(flag) };
        const next = { ...from.draft, ...change };
        return differencesOf(draftOf(from.base), next).length === 0 ? null : { base: from.base, draft: next };
      }),
    discard: () => setEdited(null),
    rebase: useCallback((newer: Flag) => setEdited((before) => before && { ...before, base: newer }), [setEdited]),
    noteSaved: (sent, stored) =>
      setEdited((now) => (now === null || differencesOf(sent, now.draft).length === 0 ? null : { ...now, base: stored })),
  };
}
