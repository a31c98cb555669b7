import type { DbTransaction } from '../../ports/db.js';
import type { PersonOverrideRow, PersonRow } from '../../ports/events.js';
import { insertOutbox, type OutboxValues } from './store.js';

/** Notes in the outbox that the event store must get these rows; answers with the ids of the notes. */
export async function noteRows(
  trx: DbTransaction,
  persons: readonly PersonRow[],
  overrides: readonly PersonOverrideRow[],
): Promise<number[]> {
  const notes: OutboxValues[] = [
    ...persons.map((row) => ({ kind: 'person' as const, projectId: row.project_id, key: row.person_id, version: row.version })),
    ...overrides.map((row) => ({
      kind: 'distinct_id' as const,
      projectId: row.project_id,
      key: row.distinct_id,
      version: row.version,
    })),
  ];
  return notes.length > 0 ? insertOutbox(trx, notes) : [];
}
