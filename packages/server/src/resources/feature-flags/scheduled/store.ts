import { sql } from 'kysely';
import { type User, userJson } from '../../../auth/index.js';
import { jsonColumn } from '../../../http/json-column.js';
import { isReadable, type Reader } from '../../../http/select-page.js';
import type { JsonObject } from '../../../kernel/json.js';
import type { Db } from '../../../ports/db.js';

/** A row of the table `scheduled_changes`. */
export interface ScheduleRow {
  id: number;
  project_id: number;
  record_id: string;
  model_name: string;
  payload: JsonObject;
  scheduled_at: Date;
  executed_at: Date | null;
  failure_reason: string | null;
  created_at: Date;
  updated_at: Date;
  author: User | null;
}

const columns = sql`s.id, s.project_id, s.record_id, s.model_name, s.payload, s.scheduled_at, s.executed_at, s.failure_reason,
  s.created_at, s.updated_at, (select ${userJson} from users u where u.id = s.created_by) as author`;

/** Reads a scheduled change of the project. */
export async function readSchedule(db: Db, projectId: number, id: number): Promise<ScheduleRow | null> {
  const { rows } = await sql<ScheduleRow>`
    select ${columns} from scheduled_changes s where s.project_id = ${projectId} and s.id = ${id}`.execute(db);
  return rows[0] ?? null;
}

/** Reads a scheduled change, and locks it until the transaction ends. */
export async function lockSchedule(tx: Db, projectId: number, id: number): Promise<ScheduleRow | null> {
  const { rows } = await sql<ScheduleRow>`
    select ${columns} from scheduled_changes s where s.project_id = ${projectId} and s.id = ${id} for update of s`.execute(tx);
  return rows[0] ?? null;
}

/** Which changes of flags a list has, and for whom. */
export interface ScheduleFilter extends Reader {
  model_name?: string | undefined;
  record_id?: string | undefined;
}

/** Lists a page of the changes of flags: pending ones by time, then past ones. */
export async function listSchedules(
  db: Db,
  projectId: number,
  { model_name, record_id, ...reader }: ScheduleFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ count: number; rows: ScheduleRow[] }> {
  const where = sql.join(
    [
      sql`s.project_id = ${projectId}`,
      ...(model_name ? [sql`s.model_name = ${model_name}`] : []),
      ...(record_id ? [sql`s.record_id = ${record_id}`] : []),
      sql`exists (select from feature_flags f where f.id::text = s.record_id and f.project_id = s.project_id
        and ${isReadable('f', reader)})`,
    ],
    sql` and `,
  );
  const [page, all] = await Promise.all([
    sql<ScheduleRow>`
      select ${columns} from scheduled_changes s where ${where}
      order by s.executed_at desc nulls first, s.scheduled_at, s.id limit ${limit} offset ${offset}`.execute(db),
    sql<{ total: number }>`select count(*) as total from scheduled_changes s where ${where}`.execute(db),
  ]);
  return { count: all.rows[0]?.total ?? 0, rows: page.rows };
}

export interface NewSchedule {
  record_id: string;
  model_name: string;
  payload: JsonObject;
  scheduled_at: Date;
  created_by: number;
}

export async function insertSchedule(db: Db, projectId: number, { payload, ...fields }: NewSchedule, now: Date): Promise<number> {
  const { id } = await db
    .insertInto('scheduled_changes')
    .values({ ...fields, payload: jsonColumn(payload), project_id: projectId, created_at: now, updated_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function updateSchedule(
  db: Db,
  projectId: number,
  id: number,
  { payload, scheduled_at }: { payload?: JsonObject | undefined; scheduled_at?: Date | undefined },
  now: Date,
): Promise<void> {
  await db
    .updateTable('scheduled_changes')
    .set({
      ...(payload ? { payload: jsonColumn(payload) } : {}),
      ...(scheduled_at ? { scheduled_at } : {}),
      updated_at: now,
    })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .execute();
}

export async function deleteSchedule(db: Db, projectId: number, id: number): Promise<void> {
  await db.deleteFrom('scheduled_changes').where('project_id', '=', projectId).where('id', '=', id).execute();
}

/** A due change. */
export interface DueChange {
  id: number;
  project_id: number;
  record_id: string;
  payload: JsonObject;
  /** The user who scheduled it; null: deleted or inactive. */
  user_id: number | null;
}

/** Locks a due change, the earliest of its flag, until the transaction ends. Changes that another server has locked are skipped. */
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

/** Stores that a change was made, or why it failed. */
export async function finishDue(tx: Db, id: number, now: Date, failureReason: string | null): Promise<void> {
  await tx
    .updateTable('scheduled_changes')
    .set({ executed_at: now, failure_reason: failureReason })
    .where('id', '=', id)
    .execute();
}

/** Runs `work` in a savepoint: when it fails, its writes are rolled back and the transaction continues. */
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
