import { type SqlBool, sql } from 'kysely';
import type { ProfileOwner } from '../../analytics/index.js';
import type { Page } from '../../http/pagination.js';
import { isVisible, type Sight } from '../../http/select-page.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';

/** An export, with the creators of its dashboard and insights: access rules never hide an object from its creator. */
export interface ExportRow {
  id: number;
  dashboard_id: number | null;
  insight_id: number | null;
  export_format: string;
  export_context: JsonObject | null;
  filename: string;
  created_by: number;
  key_id: string | null;
  created_at: Date;
  expires_after: Date;
  content_size: number | null;
  exception: string | null;
  warning: string | null;
  dashboard_creator: number | null;
  insight_creator: number | null;
  is_subject_deleted: boolean;
  /** The insights whose data is in the file. */
  insights: { id: number; created_by: number | null }[];
  /** The experiments whose results are in the file. */
  experiments: { id: number; created_by: number | null }[];
  /** Whose profiles are in the file. */
  profiles: string[];
}

export type FailureKind = 'user' | 'system' | 'timeout' | 'unknown';

const select = sql`
  select e.id, e.dashboard_id, e.insight_id, e.export_format, e.export_context, e.filename, e.created_by, e.key_id, e.created_at,
    e.expires_after, e.content_size, e.exception, e.warning, e.profiles, d.created_by as dashboard_creator, i.created_by as insight_creator,
    coalesce(d.deleted, false) or coalesce(i.deleted, false) as is_subject_deleted,
    coalesce((select json_agg(json_build_object('id', x.id, 'created_by', x.created_by)) from insights x
      where x.project_id = e.project_id and x.id = any(e.insight_ids)), '[]') as insights,
    coalesce((select json_agg(json_build_object('id', x.id, 'created_by', x.created_by)) from experiments x
      where x.project_id = e.project_id and x.id = any(e.experiment_ids)), '[]') as experiments
  from exports e left join dashboards d on d.id = e.dashboard_id left join insights i on i.id = e.insight_id`;

/** Which exports a list shows: those of the user, without those of hidden dashboards, insights, experiments and profiles. */
export interface ExportFilter {
  userId: number;
  now: Date;
  format: string | null;
  path: string | null;
  dashboards: Sight;
  insights: Sight;
  experiments: Sight;
  hiddenProfiles: readonly ProfileOwner[];
}

const matching = (
  projectId: number,
  { userId, now, format, path, dashboards, insights, experiments, hiddenProfiles }: ExportFilter,
) => sql<SqlBool>`
  e.project_id = ${projectId} and e.created_by = ${userId} and e.expires_after > ${now}
  and (${format}::text is null or e.export_format = ${format})
  and (${path}::text is null or strpos(e.export_context ->> 'path', ${path}) > 0)
  and (d.id is null or not d.deleted and ${isVisible('d', dashboards)})
  and (i.id is null or not i.deleted and ${isVisible('i', insights)})
  and not e.profiles && ${hiddenProfiles}::text[]
  and not exists (
    select from insights x where x.project_id = e.project_id and x.id = any(e.insight_ids) and not coalesce(${isVisible('x', insights)}, false)
  )
  and not exists (
    select from experiments x
    where x.project_id = e.project_id and x.id = any(e.experiment_ids) and not coalesce(${isVisible('x', experiments)}, false)
  )`;

/** A user's exports, newest first. */
export async function listExports(
  db: Db,
  projectId: number,
  filter: ExportFilter,
  { limit, offset }: Page,
): Promise<{ count: number; rows: ExportRow[] }> {
  const where = matching(projectId, filter);
  const [found, counted] = await Promise.all([
    sql<ExportRow>`${select} where ${where} order by e.created_at desc, e.id desc limit ${limit} offset ${offset}`.execute(db),
    sql<{ count: number }>`
      select count(*)::int as count
      from exports e left join dashboards d on d.id = e.dashboard_id left join insights i on i.id = e.insight_id
      where ${where}`.execute(db),
  ]);
  return { count: counted.rows[0]?.count ?? 0, rows: found.rows };
}

/** An export that has not expired by `now`; with null, an expired one as well. */
export async function readExport(db: Db, projectId: number, id: number, now: Date | null): Promise<ExportRow | null> {
  const { rows } = await sql<ExportRow>`
    ${select} where e.project_id = ${projectId} and e.id = ${id}
      and (${now}::timestamptz is null or e.expires_after > ${now})`.execute(db);
  return rows[0] ?? null;
}

export interface NewExport {
  dashboard_id: number | null;
  insight_id: number | null;
  export_format: string;
  export_context: string | null;
  filename: string;
  created_by: number;
  key_id: string | null;
  created_at: Date;
  expires_after: Date;
}

/** Stores an export. It expires with the retention of its project if that is earlier. */
export async function insertExport(db: Db, projectId: number, row: NewExport): Promise<number> {
  const latest = sql<Date>`(select ${row.created_at}::timestamptz + make_interval(days => (settings ->> 'exports_retention_days')::int)
    from projects where id = ${projectId})`;
  const expires_after = sql<Date>`least(${row.expires_after}::timestamptz, ${latest})`;
  const { id } = await db
    .insertInto('exports')
    .values({ ...row, expires_after, project_id: projectId })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Marks an export as done: its file has `size` bytes and shows these insights, experiments and profiles. `warning`: what it lacks. */
export async function finishExport(
  db: Db,
  projectId: number,
  id: number,
  {
    size,
    insightIds,
    experimentIds,
    profiles,
    warning,
  }: {
    size: number;
    insightIds: readonly number[];
    experimentIds: readonly number[];
    profiles: readonly ProfileOwner[];
    warning: string | null;
  },
): Promise<void> {
  await db
    .updateTable('exports')
    .set({
      content_size: size,
      insight_ids: [...insightIds],
      experiment_ids: [...experimentIds],
      profiles: [...profiles],
      warning,
      exception: null,
      failure_kind: null,
    })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .execute();
}

export async function failExport(
  db: Db,
  projectId: number,
  id: number,
  { exception, kind }: { exception: string; kind: FailureKind },
): Promise<void> {
  await db
    .updateTable('exports')
    .set({ exception, failure_kind: kind })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .where('content_size', 'is', null)
    .execute();
}

/** Deletes expired exports of all projects. A trigger queues their files for deletion. */
export async function deleteExpired(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('exports').where('expires_after', '<=', now).execute();
}

/** Fails the exports created before `before` that have neither a file nor a job. */
export async function failStuckExports(db: Db, jobKind: string, before: Date, exception: string): Promise<void> {
  await sql`
    update exports e set exception = ${exception}, failure_kind = 'timeout'
    where e.content_size is null and e.exception is null and e.created_at < ${before} and not exists (
      select from jobs j where j.kind = ${jobKind} and j.project_id = e.project_id and (j.payload ->> 'export')::int = e.id
    )`.execute(db);
}
