import { sql } from 'kysely';
import { jsonColumn } from '../../http/json-column.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';
import type { Ids } from '../../ports/system.js';
import { newShortId } from './insight-row.js';

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
