import { sql } from 'kysely';
import type { Deps } from '../deps.js';
import { isDeadlock } from '../kernel/sql.js';
import type { Db, DbTransaction } from '../ports/db.js';

const ATTEMPTS = 4;

/**
 * Runs `work` in a transaction. PostgreSQL ends a deadlock of writers by giving up one of them (SQLSTATE 40P01): that one
 * starts again, so `work` must do nothing that outlives the transaction.
 */
export async function inTransaction<T>(db: Db, work: (tx: DbTransaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (attempt === ATTEMPTS || !isDeadlock(error)) throw error;
    }
  }
}

/** The same context on the connection of a transaction, for functions that read and write through a context. */
export const withTransaction = <Context extends { readonly deps: Deps }>(context: Context, tx: Db): Context => ({
  ...context,
  deps: { ...context.deps, db: tx },
});

/** Locks a row of a project against other writers until the transaction ends. */
export async function lockRow(
  tx: DbTransaction,
  table: 'experiments' | 'insights',
  projectId: number,
  id: number,
): Promise<void> {
  // not `for update`: inserts of rows that refer to it need not wait
  await sql`select from ${sql.table(table)} where project_id = ${projectId} and id = ${id} for no key update`.execute(tx);
}
