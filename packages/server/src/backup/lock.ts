import { sql } from 'kysely';
import type { Db } from '../ports/db.js';
import { noLimits } from './metadata-store.js';

/** Key of the advisory lock of who copies an installation: any number, the same in all processes. */
const COPY_LOCK = 7_214_051_994;

/**
 * Runs the work while no other process makes a backup of the same database, or moves it.
 * @throws Error in one sentence when another one does
 */
export async function whileAlone<T>(db: Db, work: () => Promise<T>): Promise<T> {
  // of a transaction: a pooler may give the statements of a session to several
  return db.transaction().execute(async (tx) => {
    await noLimits(tx);
    const { rows } = await sql<{ is_mine: boolean }>`select pg_try_advisory_xact_lock(${COPY_LOCK}) as is_mine`.execute(tx);
    if (!rows[0]?.is_mine) throw new Error('Another backup or move is running: wait until it has ended.');
    return work();
  });
}
