import type { Deps } from '../../deps.js';
import { expireRecordings, forgetDeleted, MOST_AT_ONCE } from './purge-store.js';

/** Deletes recordings that are older than their project keeps them, and those that were deleted. Any number of servers may do so at once. */
export async function purgeRecordings({ db, clock }: Pick<Deps, 'db' | 'clock'>, signal?: AbortSignal): Promise<void> {
  const now = new Date(clock.now());
  for (let removed = MOST_AT_ONCE; removed === MOST_AT_ONCE; ) {
    signal?.throwIfAborted();
    removed = await expireRecordings(db, now);
  }
  await forgetDeleted(db, now);
}
