import type { Deps } from '../../deps.js';
import { expireRecordings, forgetDeleted, MOST_AT_ONCE } from './purge-store.js';

/** Deletes what projects keep no longer. Every server may do so at the same time. */
export async function purge({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<void> {
  const now = new Date(clock.now());
  for (let removed = MOST_AT_ONCE; removed === MOST_AT_ONCE; ) removed = await expireRecordings(db, now);
  await forgetDeleted(db, now);
}
