import { isObject, type Json, type JsonObject } from '../../../kernel/json.js';
import type { TileSnapshot } from '../render/dashboard-snapshot.js';

/** A tile of a dashboard, or the one insight or query that is exported. */
export interface ExportTile extends Pick<TileSnapshot, 'title' | 'note' | 'place'> {
  /** Id of its insight; null: a text tile or a query without insight. */
  insightId: number | null;
  content:
    | { kind: 'answer'; query: JsonObject; answer: JsonObject }
    | { kind: 'text'; body: string }
    | { kind: 'fault'; message: string };
}

/** The data of an export, before it is formatted. */
export type ExportData =
  | { kind: 'dashboard' /** Null: a single insight or query. */; title: string | null; note: string; tiles: ExportTile[] }
  | { kind: 'response'; title: string; body: Json };

/** Ids of the insights whose data is in an export. A user who loses access to one of them loses access to the export. */
export function insightsIn(data: ExportData): number[] {
  const ids =
    data.kind === 'dashboard'
      ? data.tiles.flatMap(({ insightId }) => (insightId === null ? [] : [insightId]))
      : insightsInResponse(data.body);
  return [...new Set(ids)];
}

/** In a response of the API, an object with a `short_id` is an insight. Searched level by level: nesting may be deeper than the stack. */
function insightsInResponse(body: Json): number[] {
  const found: number[] = [];
  for (let level: Json[] = [body]; level.length > 0; ) {
    for (const one of level) {
      if (isObject(one) && typeof one['short_id'] === 'string' && typeof one['id'] === 'number') found.push(one['id']);
    }
    level = level.flatMap((one): Json[] => (Array.isArray(one) ? one : isObject(one) ? Object.values(one) : []));
  }
  return found;
}
