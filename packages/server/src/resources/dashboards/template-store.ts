import { sql } from 'kysely';
import { jsonColumn } from '../../http/json-column.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';

/** A tile to make from a template: `short_id` is that of the new insight, null for a text. */
export interface SampleTile {
  short_id: string | null;
  name: string | null;
  description: string;
  query: JsonObject | null;
  filters: JsonObject;
  body: string | null;
  layouts: JsonObject;
  color: string | null;
}

/** Makes insights and texts that are nobody's, and puts them on a dashboard. One statement, however many. */
export async function insertSamples(
  db: Db,
  projectId: number,
  dashboardId: number,
  tiles: readonly SampleTile[],
  now: Date,
): Promise<void> {
  await sql`
    with input as materialized (
      select r.*,
        case when r.short_id is not null then nextval(pg_get_serial_sequence('insights', 'id')) end as insight_id,
        case when r.short_id is null then nextval(pg_get_serial_sequence('dashboard_texts', 'id')) end as text_id
      from rows from (jsonb_to_recordset(${jsonColumn(tiles)}::jsonb) as (short_id text, name text, description text,
        query jsonb, filters jsonb, body text, layouts jsonb, color text)) with ordinality
        as r (short_id, name, description, query, filters, body, layouts, color, nr)
      order by nr
    ), insights_made as (
      insert into insights (id, project_id, short_id, name, description, query, filters, saved, is_sample, created_at,
        updated_at, last_modified_at)
      select insight_id, ${projectId}, short_id, name, description, query, filters, true, true, ${now}, ${now}, ${now}
      from input where insight_id is not null
    ), texts_made as (
      insert into dashboard_texts (id, project_id, body, last_modified_at)
      select text_id, ${projectId}, body, ${now} from input where text_id is not null
    )
    insert into dashboard_tiles (project_id, dashboard_id, insight_id, text_id, layouts, color)
    select ${projectId}, ${dashboardId}, insight_id, text_id, layouts, color from input order by nr`.execute(db);
}
