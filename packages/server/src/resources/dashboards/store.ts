import { sql } from 'kysely';
import { type User, userJson } from '../../auth/index.js';
import { jsonColumn } from '../../http/json-column.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';

/** A dashboard but for its tiles, with what the access rules look at. */
export interface DashboardRow {
  id: number;
  name: string | null;
  description: string;
  pinned: boolean;
  deleted: boolean;
  creation_mode: string;
  tags: string[];
  restriction_level: number;
  /** Null: the user is gone. */
  created_by: number | null;
  creator: User | null;
  created_at: Date;
  is_shared: boolean;
  /** The caller's own row among the collaborators. */
  collaborator_level: number | null;
  use_template: string | null;
  use_dashboard: number | null;
  delete_insights: boolean;
  filters: JsonObject;
  variables: JsonObject;
  last_accessed_at: Date | null;
}

/** A {@link DashboardRow} of a dashboard `d` and its {@link itemJoins}. */
const columns = sql`
  d.id, d.name, d.description, d.pinned, d.deleted, d.creation_mode, d.tags, d.restriction_level, d.created_by, d.created_at,
  case when u.id is not null then ${userJson} end as creator,
  coalesce(s.enabled, false) as is_shared, c.level as collaborator_level,
  d.use_template, d.use_dashboard, d.delete_insights, d.filters, d.variables, d.last_accessed_at`;

/** What belongs to a dashboard `d`: its creator `u`, its sharing `s`, and the row `c` of the caller (`userId`) as a collaborator. */
export const itemJoins = (userId: number) => sql`
  left join users u on u.id = d.created_by
  left join sharing_configurations s on s.dashboard_id = d.id
  left join dashboard_collaborators c on c.dashboard_id = d.id and c.user_id = ${userId}`;

/** One dashboard, deleted or not, as `userId` meets it. `lock` holds off other writers until the transaction ends. */
export async function readDashboard(
  db: Db,
  projectId: number,
  id: number,
  userId: number,
  { lock = false }: { lock?: boolean } = {},
): Promise<DashboardRow | undefined> {
  // not `for update`: tiles that others add meanwhile refer to the row and need not wait
  const locking = lock ? sql`for no key update of d` : sql``;
  const { rows } = await sql<DashboardRow>`
    select ${columns} from dashboards d ${itemJoins(userId)}
    where d.project_id = ${projectId} and d.id = ${id} ${locking}`.execute(db);
  return rows[0];
}

/** What a dashboard starts with. */
export interface NewDashboard {
  name: string | null;
  description: string;
  pinned: boolean;
  deleted: boolean;
  creation_mode: 'default' | 'template' | 'duplicate';
  use_template: string | null;
  use_dashboard: number | null;
  delete_insights: boolean;
  filters: JsonObject;
  variables: JsonObject;
  tags: readonly string[];
  restriction_level: number;
  created_by: number;
}

/** Makes a dashboard; answers with its row as its maker meets it. */
export async function insertDashboard(db: Db, projectId: number, fields: NewDashboard, now: Date): Promise<DashboardRow> {
  const { filters, variables, tags } = fields;
  const { rows } = await sql<DashboardRow>`
    with d as (
      insert into dashboards (project_id, name, description, pinned, deleted, creation_mode, use_template, use_dashboard,
        delete_insights, filters, variables, tags, restriction_level, created_by, created_at, updated_at)
      values (${projectId}, ${fields.name}, ${fields.description}, ${fields.pinned}, ${fields.deleted}, ${fields.creation_mode},
        ${fields.use_template}, ${fields.use_dashboard}, ${fields.delete_insights}, ${jsonColumn(filters)}::jsonb,
        ${jsonColumn(variables)}::jsonb, ${[...tags]}::text[], ${fields.restriction_level}, ${fields.created_by}, ${now}, ${now})
      returning *
    )
    select ${columns} from d ${itemJoins(fields.created_by)}`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('the database made no dashboard');
  return row;
}

/** What changes of a dashboard; what is undefined stays. */
export interface DashboardChange {
  name?: string | null | undefined;
  description?: string | undefined;
  pinned?: boolean | undefined;
  deleted?: boolean | undefined;
  delete_insights?: boolean | undefined;
  filters?: JsonObject | undefined;
  variables?: JsonObject | undefined;
  tags?: readonly string[] | undefined;
  restriction_level?: number | undefined;
}

/** Changes a dashboard; answers with what may change, as it is stored now. */
export async function updateDashboard(db: Db, projectId: number, id: number, change: DashboardChange, now: Date) {
  const { filters, variables, tags, ...rest } = change;
  return db
    .updateTable('dashboards')
    .set({
      ...rest,
      filters: filters && jsonColumn(filters),
      variables: variables && jsonColumn(variables),
      tags: tags && [...tags],
      updated_at: now,
    })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .returning(['name', 'description', 'pinned', 'deleted', 'delete_insights', 'tags', 'restriction_level'])
    .returning(sql<JsonObject>`filters`.as('filters'))
    .returning(sql<JsonObject>`variables`.as('variables'))
    .executeTakeFirstOrThrow();
}

/** Notes that somebody looked; whoever is changing the dashboard at the moment is not waited for. */
export async function stampAccess(db: Db, projectId: number, id: number, now: Date): Promise<void> {
  await sql`
    update dashboards set last_accessed_at = ${now}
    where id = (select id from dashboards where project_id = ${projectId} and id = ${id} for no key update skip locked)`.execute(
    db,
  );
}

/** Takes a dashboard out of the settings that point to it: the project's first page, the pages of group types. */
export async function clearPointers(db: Db, projectId: number, id: number): Promise<void> {
  await sql`
    with group_pages as (
      update group_types set detail_dashboard = null where project_id = ${projectId} and detail_dashboard = ${id}
    )
    update projects set settings = settings - 'primary_dashboard'
    where id = ${projectId} and settings -> 'primary_dashboard' = to_jsonb(${id}::int)`.execute(db);
}
