import type { Deps } from '../../deps.js';
import { DEADLINE_MS, EXPORT_JOB } from './export-job.js';
import { deleteExpired, failStuckExports } from './store.js';

/** Deletes exports that have expired, and tells of those that nobody is at any more. */
export async function sweepExports({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<void> {
  const now = clock.now();
  await deleteExpired(db, new Date(now));
  await failStuckExports(db, EXPORT_JOB, new Date(now - DEADLINE_MS), 'Making this export was given up.');
}
