import { isObject, type Json, type JsonObject } from '../../../kernel/json.js';
import type { BoardTile } from '../render/dashboard.js';

/** A tile, or the one thing that is exported. */
export interface Item extends Pick<BoardTile, 'title' | 'note' | 'place'> {
  /** The insight that it shows; null: none. */
  insightId: number | null;
  content:
    | { kind: 'answer'; query: JsonObject; answer: JsonObject }
    | { kind: 'text'; body: string }
    | { kind: 'fault'; message: string };
}

/** What an export is made of. */
export type Material =
  | { kind: 'board' /** Null: one insight. */; title: string | null; note: string; items: Item[] }
  | { kind: 'response'; title: string; body: Json };

/** The numbers of the insights that a material shows anything of. */
export function insightsIn(material: Material): number[] {
  const ids =
    material.kind === 'board'
      ? material.items.flatMap(({ insightId }) => (insightId === null ? [] : [insightId]))
      : insightsOfAnswer(material.body);
  return [...new Set(ids)];
}

/** The numbers of the insights in an answer of the API, which knows them by `short_id`. */
function insightsOfAnswer(body: Json): number[] {
  const found: number[] = [];
  for (let level: Json[] = [body]; level.length > 0; ) {
    for (const one of level) {
      if (isObject(one) && typeof one['short_id'] === 'string' && typeof one['id'] === 'number') found.push(one['id']);
    }
    level = level.flatMap((one): Json[] => (Array.isArray(one) ? one : isObject(one) ? Object.values(one) : []));
  }
  return found;
}
