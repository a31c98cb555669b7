import { sql } from 'kysely';
import { SERVICE_SESSION } from '../ports/changes.js';
import type { Db } from '../ports/db.js';
import { noLimits } from './metadata-store.js';

/** Key of the advisory lock of who copies an installation: any number, the same in all processes. */
const COPY_LOCK = 7_214_051_994;

/**
 * Runs the work while no other process makes a backup of the same database, restores or moves it.
 * @throws Error in one sentence when another one does
 */
export async function whileAlone<T>(db: Db, work: () => Promise<T>): Promise<T> {
  // of a transaction: a pooler may give the statements of a session to several
  return db.transaction().execute(async (tx) => {
    await noLimits(tx);
    const { rows } = await sql<{ is_mine: boolean }>`select pg_try_advisory_xact_lock(${COPY_LOCK}) as is_mine`.execute(tx);
    if (!rows[0]?.is_mine) throw new Error('Another backup, restore or move is running: wait until it has ended.');
    return work();
  });
}

/**
 * Requires that no service uses a database of other servers; that of a data directory has a lock.
 * @throws Error in one sentence
 */
export async function requireStopped(db: Db): Promise<void> {
  const { rows } = await sql<{ pid: number; address: string | null }>`
    select pid, host(client_addr) as address from pg_stat_activity
    where datname = current_database() and application_name = ${SERVICE_SESSION} limit 1`.execute(db);
  const [session] = rows;
  if (!session) return;
  throw new Error(
    `A Tidemark at ${session.address ?? 'this machine'} uses the PostgreSQL database: stop it first, or end its session (${session.pid}) if its machine is gone.`,
  );
}
