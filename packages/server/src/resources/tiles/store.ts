import { sql } from 'kysely';
import { jsonColumn } from '../../http/json-column.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';
import type { Ids } from '../../ports/system.js';
import { type InsightRow, insightJson, newShortId, type TextRow, textJson } from './insight-row.js';
import { inReadingOrder } from './layout.js';

/** A tile with its insight or its text, never both. */
export interface TileRow {
  id: number;
  layouts: JsonObject;
  color: string | null;
  deleted: boolean;
  insight: InsightRow | null;
  text: TextRow | null;
}

/**
 * Reads the tiles of a dashboard with their contents, in reading order, without deleted tiles and tiles of deleted insights. One
 * statement. `userId`: the caller, for the restrictions of dashboards; null: there is none.
 */
export async function tilesOf(db: Db, projectId: number, dashboardId: number, userId: number | null): Promise<TileRow[]> {
  const { rows } = await sql<TileRow>`
    select t.id, t.layouts, t.color, t.deleted,
      case when i.id is not null then ${insightJson(userId)} end as insight,
      case when x.id is not null then ${textJson} end as text
    from dashboard_tiles t
    left join insights i on i.id = t.insight_id
    left join dashboard_texts x on x.id = t.text_id
    where t.project_id = ${projectId} and t.dashboard_id = ${dashboardId} and not t.deleted
      and (i.id is null or not i.deleted)`.execute(db);
  return inReadingOrder(rows);
}

/** A tile to add: an existing insight or a new text. */
export type NewTile = { layouts: JsonObject; color: string | null } & (
  | { insight_id: number }
  | { text: { body: string | null; created_by: number | null } }
);

/** Inserts tiles and returns their ids in the given order. One statement. The caller checks that the insights belong to the project. */
export async function insertTiles(
  db: Db,
  projectId: number,
  dashboardId: number,
  tiles: readonly NewTile[],
  now: Date,
): Promise<number[]> {
  if (tiles.length === 0) return [];
  const input = tiles.map(({ layouts, color, ...content }) =>
    'text' in content ? { layouts, color, ...content.text } : { layouts, color, ...content },
  );
  const { rows } = await sql<{ id: number }>`
    with input as materialized (
      select nextval(pg_get_serial_sequence('dashboard_tiles', 'id')) as id, r.*,
        case when r.insight_id is null then nextval(pg_get_serial_sequence('dashboard_texts', 'id')) end as text_id
      from rows from (jsonb_to_recordset(${jsonColumn(input)}::jsonb)
        as (insight_id int, body text, created_by int, layouts jsonb, color text)) with ordinality
        as r (insight_id, body, created_by, layouts, color, nr)
    ), texts as (
      insert into dashboard_texts (id, project_id, body, created_by, last_modified_at)
      select text_id, ${projectId}, body, created_by, ${now} from input where text_id is not null
    ), tiles as (
      insert into dashboard_tiles (id, project_id, dashboard_id, insight_id, text_id, layouts, color)
      select id, ${projectId}, ${dashboardId}, insight_id, text_id, layouts, color from input
    )
    select id from input order by nr`.execute(db);
  return rows.map(({ id }) => id);
}

/** The changes of a tile; undefined fields stay. */
export interface TileChange {
  id: number;
  layouts?: JsonObject | undefined;
  color?: string | null | undefined;
  deleted?: boolean | undefined;
  /** The new text of a text tile; without `last_modified_by` the last modifier stays. */
  text?: { body: string | null; last_modified_by?: number | undefined } | undefined;
}

/** Updates tiles of a dashboard, also deleted ones, and returns the ids of those that exist. One statement. Each tile is in `changes` once. */
export async function updateTiles(
  db: Db,
  projectId: number,
  dashboardId: number,
  changes: readonly TileChange[],
  now: Date,
): Promise<number[]> {
  if (changes.length === 0) return [];
  const input = changes.map(({ text, color, ...change }) => ({
    ...change,
    color: color ?? null,
    has_color: color !== undefined,
    has_text: text !== undefined,
    body: text?.body ?? null,
    modifier: text?.last_modified_by ?? null,
  }));
  const { rows } = await sql<{ id: number }>`
    with input as materialized (
      select t.id as tile_id, t.text_id as tile_text_id, r.*
      from jsonb_to_recordset(${jsonColumn(input)}::jsonb) as r (id int, layouts jsonb, color text,
        deleted boolean, has_color boolean, has_text boolean, body text, modifier int)
      join dashboard_tiles t on t.id = r.id and t.project_id = ${projectId} and t.dashboard_id = ${dashboardId}
    ), texts as (
      update dashboard_texts x
      set body = input.body, last_modified_by = coalesce(input.modifier, x.last_modified_by), last_modified_at = ${now}
      from input where input.has_text and x.id = input.tile_text_id
    )
    update dashboard_tiles t
    set layouts = coalesce(input.layouts, t.layouts), deleted = coalesce(input.deleted, t.deleted),
      deleted_with_dashboard = t.deleted_with_dashboard and input.deleted is null,
      color = case when input.has_color then input.color else t.color end
    from input where t.id = input.tile_id
    returning t.id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Reads the insights of tiles, also of deleted ones, with the fields that the access rules need. */
export const insightsOnTiles = (
  db: Db,
  projectId: number,
  dashboardId: number,
  tileIds: readonly number[],
): Promise<{ tile_id: number; id: number; created_by: number | null }[]> =>
  db
    .selectFrom('dashboard_tiles as t')
    .innerJoin('insights as i', 'i.id', 't.insight_id')
    .select(['t.id as tile_id', 'i.id', 'i.created_by'])
    .where('t.project_id', '=', projectId)
    .where('t.dashboard_id', '=', dashboardId)
    .where((w) => w('t.id', '=', w.fn.any(w.val(tileIds))))
    .execute();

/** Deletes the tiles of a deleted dashboard softly, marked for {@link restoreTilesOf}. */
export async function deleteTilesOf(db: Db, projectId: number, dashboardId: number): Promise<void> {
  await db
    .updateTable('dashboard_tiles')
    .set({ deleted: true, deleted_with_dashboard: true })
    .where('project_id', '=', projectId)
    .where('dashboard_id', '=', dashboardId)
    .where('deleted', '=', false)
    .execute();
}

/** Restores the tiles and insights that were deleted together with a dashboard, not those that were deleted one by one. Returns the insights. */
export async function restoreTilesOf(db: Db, projectId: number, dashboardId: number, now: Date): Promise<InsightName[]> {
  // all transactions write insights before tiles, so that none of them deadlock
  const insights = await db
    .updateTable('insights')
    .set({ deleted: false, deleted_with_dashboard: null, updated_at: now })
    .where('project_id', '=', projectId)
    .where('deleted_with_dashboard', '=', dashboardId)
    .where('deleted', '=', true)
    .returning(['id', 'short_id', 'name', 'derived_name'])
    .execute();
  await db
    .updateTable('dashboard_tiles')
    .set({ deleted: false, deleted_with_dashboard: false })
    .where('project_id', '=', projectId)
    .where('dashboard_id', '=', dashboardId)
    .where('deleted_with_dashboard', '=', true)
    .execute();
  return insights;
}

/** The fields of an insight that entries of the activity log need. */
export interface InsightName {
  id: number;
  short_id: string;
  name: string | null;
  derived_name: string | null;
}

/** Deletes the insights of a dashboard softly that are on no other dashboard, except `spared`. Runs before the tiles are deleted. */
export async function deleteInsightsOnlyOn(
  db: Db,
  projectId: number,
  dashboardId: number,
  spared: readonly number[],
  now: Date,
): Promise<InsightName[]> {
  const { rows } = await sql<InsightName>`
    update insights i set deleted = true, deleted_with_dashboard = ${dashboardId}, updated_at = ${now}
    from dashboard_tiles t
    where t.project_id = ${projectId} and t.dashboard_id = ${dashboardId} and not t.deleted
      and i.id = t.insight_id and not i.deleted and i.id <> all (${[...spared]}::int[])
      and not exists (
        select from dashboard_tiles o join dashboards d on d.id = o.dashboard_id and not d.deleted
        where o.insight_id = i.id and not o.deleted and o.dashboard_id <> ${dashboardId})
    returning i.id, i.short_id, i.name, i.derived_name`.execute(db);
  return rows;
}

/** Moves a tile to another dashboard of the project, where it replaces a tile of the same insight or text. Runs in a transaction. False: there is no such tile. */
export async function moveTile(db: Db, projectId: number, tileId: number, from: number, to: number): Promise<boolean> {
  if (from === to) return (await countTile(db, projectId, tileId, from)) > 0;
  await sql`
    delete from dashboard_tiles o using dashboard_tiles t
    where t.id = ${tileId} and t.project_id = ${projectId} and t.dashboard_id = ${from} and not t.deleted
      and o.dashboard_id = ${to} and (o.insight_id = t.insight_id or o.text_id = t.text_id)`.execute(db);
  const { numUpdatedRows } = await db
    .updateTable('dashboard_tiles')
    .set({ dashboard_id: to })
    .where('id', '=', tileId)
    .where('project_id', '=', projectId)
    .where('dashboard_id', '=', from)
    .where('deleted', '=', false)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function countTile(db: Db, projectId: number, tileId: number, dashboardId: number): Promise<number> {
  const tiles = await db
    .selectFrom('dashboard_tiles')
    .select('id')
    .where('id', '=', tileId)
    .where('project_id', '=', projectId)
    .where('dashboard_id', '=', dashboardId)
    .where('deleted', '=', false)
    .execute();
  return tiles.length;
}

/** Deletes the tiles of a deleted insight. Restoring one of the dashboards does not restore them. */
export async function removeTilesOfInsight(db: Db, projectId: number, insightId: number): Promise<void> {
  await db
    .updateTable('dashboard_tiles')
    .set({ deleted: true, deleted_with_dashboard: false })
    .where('project_id', '=', projectId)
    .where('insight_id', '=', insightId)
    .where((w) => w.or([w('deleted', '=', false), w('deleted_with_dashboard', '=', true)]))
    .execute();
}

/**
 * Puts an insight on exactly these dashboards: inserts or restores missing tiles and deletes the others, except those on deleted
 * dashboards. Runs in a transaction that has locked the insight.
 */
export async function setDashboardsOfInsight(
  db: Db,
  projectId: number,
  insightId: number,
  dashboardIds: readonly number[],
): Promise<void> {
  await sql`
    with gone as (
      update dashboard_tiles t set deleted = true from dashboards d
      where t.project_id = ${projectId} and t.insight_id = ${insightId} and not t.deleted
        and d.id = t.dashboard_id and not d.deleted and t.dashboard_id <> all (${[...dashboardIds]}::int[])
    )
    insert into dashboard_tiles (project_id, dashboard_id, insight_id)
    select ${projectId}, d.id, ${insightId} from dashboards d
    where d.project_id = ${projectId} and d.id = any (${[...dashboardIds]}::int[])
    order by array_position(${[...dashboardIds]}::int[], d.id)
    on conflict (dashboard_id, insight_id) do update set deleted = false where dashboard_tiles.deleted`.execute(db);
}

/** Copies the tiles of a dashboard to another, which then shares the insights and texts. One statement. */
export async function copyTiles(db: Db, projectId: number, from: number, to: number): Promise<void> {
  await sql`
    insert into dashboard_tiles (project_id, dashboard_id, insight_id, text_id, layouts, color)
    select t.project_id, ${to}, t.insight_id, t.text_id, t.layouts, t.color
    from dashboard_tiles t left join insights i on i.id = t.insight_id
    where t.project_id = ${projectId} and t.dashboard_id = ${from} and not t.deleted and (i.id is null or not i.deleted)
    order by t.id
    on conflict do nothing`.execute(db);
}

/** The tiles to copy and their target. */
export interface Copies {
  from: number;
  /** May be the same dashboard. */
  to: number;
  userId: number;
  now: Date;
  /** Only these tiles, each with the layout of its copy if that differs; undefined: all. */
  only?: readonly { id: number; layouts?: JsonObject | undefined }[];
}

/** Copies tiles together with their insights and texts. A copied insight gets the name `… (Copy)` and the user as its creator. Two statements. */
export async function copyTilesWithContents(
  db: Db,
  ids: Ids,
  projectId: number,
  { from, to, userId, now, only }: Copies,
): Promise<void> {
  let live = db
    .selectFrom('dashboard_tiles as t')
    .leftJoin('insights as i', 'i.id', 't.insight_id')
    .select(['t.id', 't.insight_id'])
    .where('t.project_id', '=', projectId)
    .where('t.dashboard_id', '=', from)
    .where('t.deleted', '=', false)
    .where((w) => w.or([w('i.id', 'is', null), w('i.deleted', '=', false)]));
  if (only) live = live.where((w) => w('t.id', '=', w.fn.any(w.val(only.map(({ id }) => id)))));
  const tiles = await live.execute();
  if (tiles.length === 0) return;
  const layouts = new Map(only?.map((one) => [one.id, one.layouts ?? null]));
  const input = tiles.map(({ id, insight_id }) => ({
    tile_id: id,
    short_id: insight_id === null ? null : newShortId(ids),
    layouts: layouts.get(id) ?? null,
  }));
  await sql`
    with input as materialized (
      select t.insight_id, t.text_id, coalesce(r.layouts, t.layouts) as layouts, t.color, r.short_id,
        case when t.insight_id is not null then nextval(pg_get_serial_sequence('insights', 'id')) end as new_insight,
        case when t.text_id is not null then nextval(pg_get_serial_sequence('dashboard_texts', 'id')) end as new_text
      from jsonb_to_recordset(${jsonColumn(input)}::jsonb) as r (tile_id int, short_id text, layouts jsonb)
      join dashboard_tiles t on t.id = r.tile_id
      order by r.tile_id
    ), insights_made as (
      insert into insights (id, project_id, short_id, name, derived_name, description, query, filters, "order", saved,
        favorited, tags, created_by, created_at, updated_at, last_modified_by, last_modified_at)
      select n.new_insight, i.project_id, n.short_id, left(i.name, 393) || ' (Copy)', i.derived_name, i.description, i.query,
        i.filters, i."order", i.saved, i.favorited, i.tags, ${userId}, ${now}, ${now}, ${userId}, ${now}
      from input n join insights i on i.id = n.insight_id
    ), texts_made as (
      insert into dashboard_texts (id, project_id, body, created_by, last_modified_at)
      select n.new_text, x.project_id, x.body, ${userId}, ${now}
      from input n join dashboard_texts x on x.id = n.text_id
    )
    insert into dashboard_tiles (project_id, dashboard_id, insight_id, text_id, layouts, color)
    select ${projectId}, ${to}, new_insight, new_text, layouts, color from input`.execute(db);
}
