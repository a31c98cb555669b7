import type { Json, JsonObject } from '../../../kernel/json.js';
import type { BoardTile } from '../render/board.js';

/** A tile, or the one thing that is exported. */
export interface Item extends Pick<BoardTile, 'title' | 'note' | 'place'> {
  content:
    | { kind: 'answer'; query: JsonObject; answer: JsonObject }
    | { kind: 'text'; body: string }
    | { kind: 'fault'; message: string };
}

/** What an export is made of. */
export type Material =
  | { kind: 'board' /** Null: one insight. */; title: string | null; note: string; items: Item[] }
  | { kind: 'response'; title: string; body: Json };
