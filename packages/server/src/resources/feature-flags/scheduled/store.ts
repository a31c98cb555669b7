import { sql } from 'kysely';
import { type User, userJson } from '../../../auth/index.js';
import { jsonColumn } from '../../../http/json-column.js';
import type { JsonObject } from '../../../kernel/json.js';
import type { Db } from '../../../ports/db.js';

/** A change to be made at a set time. */
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

export async function readSchedule(db: Db, projectId: number, id: number): Promise<ScheduleRow | null> {
  const { rows } = await sql<ScheduleRow>`
    select ${columns} from scheduled_changes s where s.project_id = ${projectId} and s.id = ${id}`.execute(db);
  return rows[0] ?? null;
}

/** Keeps who makes or withdraws a change waiting until the transaction ends. */
export async function lockSchedule(tx: Db, projectId: number, id: number): Promise<ScheduleRow | null> {
  const { rows } = await sql<ScheduleRow>`
    select ${columns} from scheduled_changes s where s.project_id = ${projectId} and s.id = ${id} for update of s`.execute(tx);
  return rows[0] ?? null;
}

/** Which changes a list shall hold, and what access rules hide from the reader. */
export interface ScheduleFilter {
  model_name?: string | undefined;
  record_id?: string | undefined;
  userId: number;
  hidden: readonly number[];
}

/** A page of the changes of flags, the next first and the past ones last. */
export async function listSchedules(
  db: Db,
  projectId: number,
  { model_name, record_id, userId, hidden }: ScheduleFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ count: number; rows: ScheduleRow[] }> {
  const where = sql.join(
    [
      sql`s.project_id = ${projectId}`,
      ...(model_name ? [sql`s.model_name = ${model_name}`] : []),
      ...(record_id ? [sql`s.record_id = ${record_id}`] : []),
      sql`exists (select from feature_flags f where f.id::text = s.record_id and f.project_id = s.project_id
        and (f.id <> all (${hidden}::int[]) or f.created_by = ${userId}))`,
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
