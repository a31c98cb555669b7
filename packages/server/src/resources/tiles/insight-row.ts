import { type RawBuilder, sql } from 'kysely';
import { type User, userJson } from '../../auth/index.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Ids } from '../../ports/system.js';

/** A tile of an insight on a dashboard that is not deleted, with the fields that decide about the restriction of the dashboard. */
export interface PlaceRow {
  tile_id: number;
  /** The id of the dashboard. */
  id: number;
  restriction_level: number;
  /** The creator of the dashboard. */
  created_by: number | null;
  /** The caller's level as a collaborator of the dashboard; null: none. */
  collaborator_level: number | null;
}

/** An insight, which the database returns as one JSON document: times are texts. */
export interface InsightRow {
  id: number;
  short_id: string;
  name: string | null;
  derived_name: string | null;
  description: string;
  query: JsonObject | null;
  filters: JsonObject;
  order: number | null;
  deleted: boolean;
  saved: boolean;
  favorited: boolean;
  is_sample: boolean;
  tags: string[];
  created_at: string;
  updated_at: string;
  last_modified_at: string;
  created_by: number | null;
  creator: User | null;
  last_modified_by: User | null;
  places: PlaceRow[];
}

/** The text of a tile, as one JSON document. */
export interface TextRow {
  id: number;
  body: string | null;
  created_by: User | null;
  last_modified_by: User | null;
  last_modified_at: string;
}

/** The user of a column with a user's id. */
const userOf = (column: RawBuilder<unknown>) => sql<User | null>`(select ${userJson} from users u where u.id = ${column})`;

/** Selects an {@link InsightRow} of `insights i`, for a user (null: without a caller, on public pages). */
export const insightJson = (userId: number | null) => sql<InsightRow>`json_build_object(
  'id', i.id, 'short_id', i.short_id, 'name', i.name, 'derived_name', i.derived_name, 'description', i.description,
  'query', i.query, 'filters', i.filters, 'order', i."order", 'deleted', i.deleted, 'saved', i.saved,
  'favorited', i.favorited, 'is_sample', i.is_sample, 'tags', i.tags, 'created_at', i.created_at,
  'updated_at', i.updated_at, 'last_modified_at', i.last_modified_at, 'created_by', i.created_by,
  'creator', ${userOf(sql`i.created_by`)}, 'last_modified_by', ${userOf(sql`i.last_modified_by`)},
  'places', coalesce((
    select json_agg(json_build_object('tile_id', p.id, 'id', d.id, 'restriction_level', d.restriction_level,
      'created_by', d.created_by, 'collaborator_level', c.level) order by p.id)
    from dashboard_tiles p
    join dashboards d on d.id = p.dashboard_id and not d.deleted
    left join dashboard_collaborators c on c.dashboard_id = d.id and c.user_id = ${userId}
    where p.insight_id = i.id and not p.deleted), '[]'))`;

/** Selects a {@link TextRow} of `dashboard_texts x`. */
export const textJson = sql<TextRow>`json_build_object('id', x.id, 'body', x.body,
  'created_by', ${userOf(sql`x.created_by`)}, 'last_modified_by', ${userOf(sql`x.last_modified_by`)},
  'last_modified_at', x.last_modified_at)`;

/** Makes the short id of an insight: 8 characters of `[0-9A-Za-z_-]`. Digits alone are left out, since paths take those as numbers. */
export function newShortId(ids: Ids): string {
  const id = ids.token(6);
  return /^\d+$/.test(id) ? newShortId(ids) : id;
}
