import { type RawBuilder, sql } from 'kysely';
import { type User, userJson } from '../../auth/index.js';
import { jsonColumn } from '../../http/json-column.js';
import type { Page } from '../../http/pagination.js';
import { containsText, isReadable } from '../../http/select-page.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';

/** A dashboard of a list, with the fields that the access rules need. */
export interface DashboardItem {
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
  /** The caller's level as a collaborator of this dashboard; null: none. */
  collaborator_level: number | null;
}

/** A dashboard without its tiles. */
export interface DashboardRow extends DashboardItem {
  use_template: string | null;
  use_dashboard: number | null;
  delete_insights: boolean;
  filters: JsonObject;
  variables: JsonObject;
  last_accessed_at: Date | null;
  /** Number of the last change. */
  version: number;
  last_modified_at: Date | null;
}

/** The columns of a {@link DashboardItem} that are a dashboard's own. */
const dashboardColumns = sql`
  d.id, d.name, d.description, d.pinned, d.deleted, d.creation_mode, d.tags, d.restriction_level, d.created_by, d.created_at`;

/** The columns of a {@link DashboardRow}, of a dashboard `d`, its creator `u` and its {@link joins}. */
const columns = sql`${dashboardColumns}, coalesce(s.enabled, false) as is_shared, c.level as collaborator_level,
  case when u.id is not null then ${userJson} end as creator,
  d.use_template, d.use_dashboard, d.delete_insights, d.filters, d.variables, d.last_accessed_at, d.version, d.last_modified_at`;

/** Joins the creator `u` of a dashboard `d`. */
const joinCreator = sql`left join users u on u.id = d.created_by`;

/** Joins the sharing `s` of a dashboard `d`, and the caller's row `c` among its collaborators. */
const joins = (userId: number) => sql`
  left join sharing_configurations s on s.dashboard_id = d.id
  left join dashboard_collaborators c on c.dashboard_id = d.id and c.user_id = ${userId}`;

/** Filters of a list; undefined: no filter. */
export interface ListFilter {
  /** Dashboards with any of these. */
  tags?: readonly string[] | undefined;
  creation_mode?: string | undefined;
  /** Leaves out dashboards that other features generated, which have a fixed prefix in their names. */
  exclude_generated?: boolean | undefined;
  /** Part of the name or description, in any case. */
  search?: string | undefined;
  /** Ids that the access rules hide from the caller, except from their creator. */
  hidden: readonly number[];
}

const GENERATED_PREFIX = 'Generated Dashboard';

/** Lists a page of dashboards for `userId`, pinned ones first, then by name; `count` is that of all pages. One statement, and a second for a page beyond the end. */
export async function listDashboards(
  db: Db,
  projectId: number,
  userId: number,
  filter: ListFilter,
  page: Page,
): Promise<{ count: number; rows: DashboardItem[] }> {
  const matching = sql`from dashboards d where ${sql.join(conditions(projectId, userId, filter), sql` and `)}`;
  const order = sql`order by d.pinned desc, d.name, d.id`;
  type Row = DashboardItem & { count: number; creators: User[] | null };
  // subqueries instead of joins: they take the planner half the time; the first row has the creators, since a join would write and parse
  // one of the few users for each dashboard
  const { rows } = await sql<Row>`
    with page as materialized (select d.* ${matching} ${order} limit ${page.limit} offset ${page.offset})
    select (select count(*) ${matching}) as count, ${dashboardColumns},
      coalesce((select s.enabled from sharing_configurations s where s.dashboard_id = d.id), false) as is_shared,
      (select c.level from dashboard_collaborators c where c.dashboard_id = d.id and c.user_id = ${userId}) as collaborator_level,
      case when d.id = (select id from page limit 1)
        then (select json_agg(${userJson}) from users u where u.id in (select created_by from page)) end as creators
    from page d ${order}`.execute(db);
  const [first] = rows;
  if (!first) return { count: page.offset === 0 ? 0 : await countRows(db, matching), rows };
  const creators = new Map(first.creators?.map((user) => [user.id, user]));
  for (const row of rows) row.creator = (row.created_by !== null && creators.get(row.created_by)) || null;
  return { count: first.count, rows };
}

async function countRows(db: Db, matching: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) ${matching}`.execute(db);
  return rows[0]?.count ?? 0;
}

function conditions(projectId: number, userId: number, filter: ListFilter): RawBuilder<unknown>[] {
  const { tags, creation_mode, exclude_generated, search, hidden } = filter;
  const found = [sql`d.project_id = ${projectId} and not d.deleted`, isReadable('d', { userId, hidden })];
  if (tags?.length) found.push(sql`d.tags && ${[...tags]}::text[]`);
  if (creation_mode) found.push(sql`d.creation_mode = ${creation_mode}`);
  if (exclude_generated) found.push(sql`coalesce(not starts_with(d.name, ${GENERATED_PREFIX}), true)`);
  if (search) found.push(containsText(search, 'd.name', 'd.description'));
  return found;
}

/** Reads a dashboard, deleted or not, for `userId`. `lock` blocks other writers until the transaction ends. */
export async function readDashboard(
  db: Db,
  projectId: number,
  id: number,
  userId: number,
  { lock = false }: { lock?: boolean } = {},
): Promise<DashboardRow | undefined> {
  // not `for update`: inserts of tiles refer to the row and need not wait
  const locking = lock ? sql`for no key update of d` : sql``;
  const { rows } = await sql<DashboardRow>`
    select ${columns} from dashboards d ${joinCreator} ${joins(userId)}
    where d.project_id = ${projectId} and d.id = ${id} ${locking}`.execute(db);
  return rows[0];
}

/** The fields of a new dashboard. */
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

/** Inserts a dashboard and reads its row for its creator. */
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
    select ${columns} from d ${joinCreator} ${joins(fields.created_by)}`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('the insert of a dashboard returned no row');
  return row;
}

/** The fields of an update; undefined fields stay. */
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

/** Updates a dashboard and returns the fields that updates can change. */
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

/** Counts a change of dashboards that the transaction has locked, or of one that it has just changed. @returns the version of the first */
export async function countChange(
  tx: Db,
  projectId: number,
  ids: readonly number[],
  userId: number,
  now: Date,
): Promise<{ version: number; last_modified_at: Date } | undefined> {
  const [first] = await tx
    .updateTable('dashboards')
    .set((e) => ({ version: e('version', '+', 1), last_modified_at: now, last_modified_by: userId }))
    .where('project_id', '=', projectId)
    .where('id', 'in', ids)
    .returning(['version'])
    .execute();
  return first && { version: first.version, last_modified_at: now };
}

/** The version of a dashboard, who made it, how many tiles it has, and the last change of an insight on it. */
export async function readVersion(db: Db, projectId: number, id: number) {
  const { rows } = await sql<{
    version: number;
    last_modified_at: Date;
    modifier: User | null;
    insights_modified_at: Date | null;
    tiles: number;
  }>`
    select d.version, coalesce(d.last_modified_at, d.created_at) as last_modified_at,
      case when u.id is not null then ${userJson} end as modifier,
      (select max(i.last_modified_at) from dashboard_tiles t join insights i on i.id = t.insight_id
        where t.dashboard_id = d.id and not t.deleted and not i.deleted) as insights_modified_at,
      (select count(*) from dashboard_tiles t where t.dashboard_id = d.id and not t.deleted)::int as tiles
    from dashboards d
    left join users u on u.id = case when d.last_modified_at is null then d.created_by else d.last_modified_by end
    where d.project_id = ${projectId} and d.id = ${id}`.execute(db);
  return rows[0];
}

/** Sets the time of the last access. A dashboard that is being changed is skipped, so that reads do not wait for writers. */
export async function stampAccess(db: Db, projectId: number, id: number, now: Date): Promise<void> {
  await sql`
    update dashboards set last_accessed_at = ${now}
    where id = (select id from dashboards where project_id = ${projectId} and id = ${id} for no key update skip locked)`.execute(
    db,
  );
}

/** Removes a dashboard from the settings that refer to it: the project's primary dashboard and the pages of group types. */
export async function clearPointers(db: Db, projectId: number, id: number): Promise<void> {
  await sql`
    with group_pages as (
      update group_types set detail_dashboard = null where project_id = ${projectId} and detail_dashboard = ${id}
    )
    update projects set settings = settings - 'primary_dashboard'
    where id = ${projectId} and settings -> 'primary_dashboard' = to_jsonb(${id}::int)`.execute(db);
}

/** Stores the time of a user's last view of a dashboard. */
export async function stampView(db: Db, projectId: number, dashboardId: number, userId: number, now: Date): Promise<void> {
  await db
    .insertInto('dashboard_views')
    .values({ dashboard_id: dashboardId, user_id: userId, project_id: projectId, last_viewed_at: now })
    .onConflict((conflict) => conflict.columns(['dashboard_id', 'user_id']).doUpdateSet({ last_viewed_at: now }))
    .execute();
}
