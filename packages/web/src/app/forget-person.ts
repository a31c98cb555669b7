import type { QueryClient } from '@tanstack/react-query';

/** Forgets what a person saw and typed in this tab: answers and drafts. For log-outs, and before somebody else goes on. */
export function forgetPerson(queries: QueryClient): void {
  queries.clear();
  try {
    sessionStorage.clear();
  } catch {
    // storage is blocked, so there are no drafts
  }
}
