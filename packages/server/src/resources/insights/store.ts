import { type RawBuilder, sql } from 'kysely';
import { jsonColumn } from '../../http/json-column.js';
import type { Page } from '../../http/pagination.js';
import { isReadable, type Reader, readOrder } from '../../http/select-page.js';
import type { JsonObject } from '../../kernel/json.js';
import { likePattern } from '../../kernel/sql.js';
import type { Db } from '../../ports/db.js';
import type { Ids } from '../../ports/system.js';
import { type InsightRow, insightJson, newShortId } from '../tiles/index.js';

/** The key by which a request names an insight. */
export type InsightKey = { id: number } | { short_id: string };

/** Reads an insight, deleted or not, for `userId`. */
export async function readInsight(db: Db, projectId: number, key: InsightKey, userId: number): Promise<InsightRow | null> {
  const found = 'id' in key ? sql`i.id = ${key.id}` : sql`i.short_id = ${key.short_id}`;
  const { rows } = await sql<{ insight: InsightRow }>`
    select ${insightJson(userId)} as insight from insights i where i.project_id = ${projectId} and ${found}`.execute(db);
  return rows[0]?.insight ?? null;
}

/** The fields of a new insight; `created_by` null: a sample, which has no creator. */
export type NewInsight = Omit<
  InsightRow,
  'id' | 'short_id' | 'created_at' | 'updated_at' | 'last_modified_at' | 'creator' | 'last_modified_by' | 'places'
>;

/** Inserts insights and returns their ids in the given order. One statement. */
export async function insertInsights(
  db: Db,
  ids: Ids,
  projectId: number,
  insights: readonly NewInsight[],
  now: Date,
): Promise<number[]> {
  if (insights.length === 0) return [];
  const input = insights.map((insight) => ({ ...insight, short_id: newShortId(ids) }));
  const { rows } = await sql<{ id: number }>`
    with input as materialized (
      select nextval(pg_get_serial_sequence('insights', 'id')) as id, r.*
      from rows from (jsonb_to_recordset(${jsonColumn(input)}::jsonb) as (short_id text, name text, derived_name text,
        description text, query jsonb, filters jsonb, "order" int, deleted boolean, saved boolean, favorited boolean,
        is_sample boolean, tags jsonb, created_by int)) with ordinality
        as r (short_id, name, derived_name, description, query, filters, "order", deleted, saved, favorited, is_sample,
          tags, created_by, nr)
    ), made as (
      insert into insights (id, project_id, short_id, name, derived_name, description, query, filters, "order", deleted,
        saved, favorited, is_sample, tags, created_by, created_at, updated_at, last_modified_by, last_modified_at)
      select id, ${projectId}, short_id, name, derived_name, description, nullif(query, 'null'), filters, "order", deleted,
        saved, favorited, is_sample, array(select jsonb_array_elements_text(tags)), created_by, ${now}, ${now}, created_by,
        ${now}
      from input
    )
    select id from input order by nr`.execute(db);
  return rows.map(({ id }) => id);
}

/** The fields of an update; undefined fields stay. */
export type InsightChange = { [Field in Exclude<keyof NewInsight, 'created_by'>]?: NewInsight[Field] | undefined } & {
  /** The user who changed the content. */
  last_modified_by?: number | undefined;
  last_modified_at?: Date | undefined;
};

export async function updateInsight(db: Db, projectId: number, id: number, change: InsightChange, now: Date): Promise<void> {
  const { query, filters, ...columns } = change;
  await db
    .updateTable('insights')
    .set({
      ...columns,
      ...(columns.deleted === undefined ? {} : { deleted_with_dashboard: null }),
      ...(query === undefined ? {} : { query: query && jsonColumn(query) }),
      ...(filters === undefined ? {} : { filters: jsonColumn(filters) }),
      updated_at: now,
    })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .execute();
}

/** The fields of a dashboard that decide whether the caller may add insights to it. */
export interface DashboardRights {
  id: number;
  restriction_level: number;
  created_by: number | null;
  collaborator_level: number | null;
}

/** Reads those of the dashboards that exist in the project, and locks them against changes until the transaction ends. */
export async function lockDashboards(
  tx: Db,
  projectId: number,
  ids: readonly number[],
  userId: number,
): Promise<DashboardRights[]> {
  // the order prevents deadlocks between two requests that lock the same dashboards
  const { rows } = await sql<DashboardRights>`
    select d.id, d.restriction_level, d.created_by, c.level as collaborator_level
    from dashboards d left join dashboard_collaborators c on c.dashboard_id = d.id and c.user_id = ${userId}
    where d.project_id = ${projectId} and not d.deleted and d.id = any (${ids}::int[])
    order by d.id for share of d`.execute(tx);
  return rows;
}

/** Filters of a list; undefined: no filter. */
export interface InsightFilter {
  short_id?: string | undefined;
  saved?: boolean | undefined;
  favorited?: boolean | undefined;
  search?: string | undefined;
  created_by?: readonly number[] | undefined;
  /** With all of these. */
  tags?: readonly string[] | undefined;
  /** On all of these. */
  dashboards?: readonly number[] | undefined;
  modified_after?: Date | undefined;
  modified_before?: Date | undefined;
}

const ORDERS = {
  last_modified_at: sql`i.last_modified_at`,
  created_at: sql`i.created_at`,
  updated_at: sql`i.updated_at`,
  name: sql`coalesce(nullif(i.name, ''), i.derived_name)`,
  id: sql`i.id`,
};

/** A page of the insights that are not deleted, and how many there are: one statement. `order`: as {@link readOrder} reads it. */
export async function listInsights(
  db: Db,
  projectId: number,
  reader: Reader,
  filter: InsightFilter,
  order: string | undefined,
  { limit, offset }: Page,
): Promise<{ count: number; insights: InsightRow[] }> {
  const { column, direction } = readOrder(order, ORDERS, '-last_modified_at');
  const where = sql.join(
    [sql`i.project_id = ${projectId} and not i.deleted`, isReadable('i', reader), ...conditions(filter)],
    sql` and `,
  );
  const sorted = sql`order by ${column} ${direction} nulls last, i.id ${direction}`;
  const { rows } = await sql<{ count: number; insights: InsightRow[] }>`
    select (select count(*) from insights i where ${where}) as count, coalesce((
      select json_agg(page.insight) from (
        select ${insightJson(reader.userId)} as insight from insights i where ${where} ${sorted} limit ${limit} offset ${offset}
      ) page), '[]') as insights`.execute(db);
  return rows[0] ?? { count: 0, insights: [] };
}

function conditions(filter: InsightFilter): RawBuilder<unknown>[] {
  const found: RawBuilder<unknown>[] = [];
  if (filter.short_id !== undefined) found.push(sql`i.short_id = ${filter.short_id}`);
  if (filter.favorited !== undefined) found.push(sql`i.favorited = ${filter.favorited}`);
  if (filter.saved === true) found.push(sql`(i.saved or ${onDashboards(null)})`);
  if (filter.saved === false) found.push(sql`not i.saved`);
  if (filter.created_by) found.push(sql`i.created_by = any (${filter.created_by}::int[])`);
  if (filter.tags) found.push(sql`i.tags @> ${filter.tags}::text[]`);
  if (filter.modified_after) found.push(sql`i.last_modified_at >= ${filter.modified_after}`);
  if (filter.modified_before) found.push(sql`i.last_modified_at < ${filter.modified_before}`);
  for (const id of filter.dashboards ?? []) found.push(onDashboards(id));
  if (filter.search !== undefined) {
    const pattern = likePattern(filter.search);
    found.push(sql`(i.name ilike ${pattern} or i.derived_name ilike ${pattern} or i.description ilike ${pattern}
      or exists (select from unnest(i.tags) tag where tag ilike ${pattern}))`);
  }
  return found;
}

/** The condition that an insight is on a dashboard; null: on any. */
const onDashboards = (id: number | null) => sql`exists (
  select from dashboard_tiles t join dashboards d on d.id = t.dashboard_id and not d.deleted
  where t.insight_id = i.id and not t.deleted ${id === null ? sql`` : sql`and d.id = ${id}`})`;

/** The filters and variables with which a dashboard overrides those of its insights. */
export const readDashboardOverrides = (
  db: Db,
  projectId: number,
  dashboardId: number,
): Promise<{ filters: JsonObject; variables: JsonObject } | undefined> =>
  db
    .selectFrom('dashboards')
    .select(['filters', 'variables'])
    .where('project_id', '=', projectId)
    .where('id', '=', dashboardId)
    .$castTo<{ filters: JsonObject; variables: JsonObject }>()
    .executeTakeFirst();

/** Stores the time of a user's last view of an insight. */
export async function stampView(db: Db, projectId: number, insightId: number, userId: number, now: Date): Promise<void> {
  await db
    .insertInto('insight_views')
    .values({ insight_id: insightId, user_id: userId, project_id: projectId, last_viewed_at: now })
    .onConflict((conflict) => conflict.columns(['insight_id', 'user_id']).doUpdateSet({ last_viewed_at: now }))
    .execute();
}

/** Lists the insights that a user viewed last, latest first. */
export async function lastViewed(db: Db, projectId: number, reader: Reader, limit: number): Promise<InsightRow[]> {
  const { rows } = await sql<{ insight: InsightRow }>`
    select ${insightJson(reader.userId)} as insight
    from insight_views v join insights i on i.id = v.insight_id
    where v.user_id = ${reader.userId} and v.project_id = ${projectId} and not i.deleted and ${isReadable('i', reader)}
    order by v.last_viewed_at desc, i.id desc limit ${limit}`.execute(db);
  return rows.map(({ insight }) => insight);
}
