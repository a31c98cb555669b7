import { recordingPrefix } from '../../ingestion/index.js';
import type { DbTransaction } from '../../ports/db.js';
import { deleteRecordings, recordingsOf } from './store.js';

/** Deletes recordings for good, and queues the deletion of their blobs. */
export function removeRecordings(
  tx: DbTransaction,
  projectId: number,
  rows: readonly { id: number; session_id: string }[],
  now: Date,
): Promise<void> {
  const found = rows.map(({ id, session_id }) => ({ id, prefix: recordingPrefix(projectId, session_id) }));
  return deleteRecordings(tx, projectId, found, now);
}

/** Deletes all recordings of distinct ids. */
export async function removeRecordingsOf(
  tx: DbTransaction,
  projectId: number,
  distinctIds: readonly string[],
  now: Date,
): Promise<void> {
  await removeRecordings(tx, projectId, await recordingsOf(tx, projectId, distinctIds), now);
}
