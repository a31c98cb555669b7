import { useEffect, useState } from 'react';
import type { CohortDraft } from './draft.js';

/** The unsaved changes of a cohort; null: none. They survive a reload of the tab. @param place what is edited: a number, or `new` */
export function useCohortDraft(project: string, place: string) {
  const key = `cohort-draft:${project}:${place}`;
  const [draft, setDraft] = useState<CohortDraft | null>(() => read(key));
  useEffect(() => {
    if (draft) sessionStorage.setItem(key, JSON.stringify(draft));
    else sessionStorage.removeItem(key);
  }, [draft, key]);
  return [draft, setDraft] as const;
}

function read(key: string): CohortDraft | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}
