import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Db, DbTransaction } from '../ports/db.js';

/** Waits until a statement in this database waits for a lock: of `holder`, by its process id, or of any transaction. */
export async function untilSomeoneWaits(db: Db, holder?: number): Promise<void> {
  const waiting = sql<{ blockers: number[] }>`
    select pg_blocking_pids(pid) as blockers from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await expect
    .poll(
      async () => (await waiting.execute(db)).rows.some(({ blockers }) => holder === undefined || blockers.includes(holder)),
      {
        timeout: 30_000,
      },
    )
    .toBe(true);
}

/** The process id of a transaction's connection. */
export async function backendOf(tx: DbTransaction): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
  return rows[0]?.pid ?? 0;
}
