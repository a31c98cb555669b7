import { sql } from 'kysely';
import type { JsonObject } from '../../../kernel/json.js';
import type { Db } from '../../../ports/db.js';

/** A change whose time has come. */
export interface DueChange {
  id: number;
  project_id: number;
  record_id: string;
  payload: JsonObject;
  /** Who scheduled it; null: they are gone or switched off. */
  user_id: number | null;
}

/** Takes one that no other server is at, the earliest of its flag, until the transaction ends. */
export async function claimDue(tx: Db, now: Date): Promise<DueChange | null> {
  const { rows } = await sql<DueChange>`
    select s.id, s.project_id, s.record_id, s.payload,
      (select u.id from users u where u.id = s.created_by and u.is_active) as user_id
    from scheduled_changes s
    where s.executed_at is null and s.scheduled_at <= ${now} and not exists (
      select from scheduled_changes e
      where e.project_id = s.project_id and e.record_id = s.record_id and e.executed_at is null
        and (e.scheduled_at, e.id) < (s.scheduled_at, s.id))
    order by s.scheduled_at, s.id limit 1 for update of s skip locked`.execute(tx);
  return rows[0] ?? null;
}

/** Notes that a change was made, or why it was not. */
export async function finishDue(tx: Db, id: number, now: Date, failureReason: string | null): Promise<void> {
  await tx
    .updateTable('scheduled_changes')
    .set({ executed_at: now, failure_reason: failureReason })
    .where('id', '=', id)
    .execute();
}

/** Runs `work` so that, when it fails, what it has written is undone and the transaction goes on. */
export async function attempt(tx: Db, work: () => Promise<unknown>): Promise<void> {
  await sql`savepoint attempt`.execute(tx);
  try {
    await work();
    await sql`release savepoint attempt`.execute(tx);
  } catch (error) {
    await sql`rollback to savepoint attempt`.execute(tx);
    throw error;
  }
}
