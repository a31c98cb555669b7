import { ApiError } from '../../kernel/errors.js';
import type { TileChange, TileRow } from '../tiles/index.js';
import type { CopyFields, TileFields } from './schema.js';

/** A tile to make, and its place in the request. */
export interface PlacedFields {
  index: number;
  fields: TileFields;
}

/** What the tiles of a request come to. */
export interface TileChanges {
  add: PlacedFields[];
  /** By id of the tile. */
  change: Map<number, TileChange>;
  /** Where in the request each of them stands first. */
  places: Map<number, number>;
}

/**
 * Sorts the tiles of a request into new ones and changes of tiles. Where a tile is named twice, what comes later counts.
 * `live` are the tiles that the dashboard shows; `userId` is who asks.
 * @throws ApiError does_not_exist: a text that is not on the dashboard
 */
export function readTiles(
  tiles: readonly TileFields[],
  live: readonly Pick<TileRow, 'id' | 'text'>[],
  userId: number,
): TileChanges {
  const byText = new Map(live.flatMap(({ id, text }) => (text ? [[text.id, id] as const] : [])));
  const changes: TileChanges = { add: [], change: new Map(), places: new Map() };
  for (const [index, tile] of tiles.entries()) {
    const id = tile.id ?? tileOfText(tile, index, byText);
    if (id === null) {
      if (!tile.deleted) changes.add.push({ index, fields: tile });
      continue;
    }
    changes.change.set(id, { ...changes.change.get(id), ...toChange(tile, id, userId) });
    if (!changes.places.has(id)) changes.places.set(id, index);
  }
  return changes;
}

/** @throws ApiError does_not_exist */
export function requireFound({ places }: TileChanges, found: readonly number[]): void {
  for (const [id, index] of places) if (!found.includes(id)) throw unknown(id, `tiles__${index}__id`);
}

/** The tiles to copy, each once. @throws ApiError does_not_exist: not among those that the caller sees */
export function readCopies(copies: readonly CopyFields[], live: readonly Pick<TileRow, 'id'>[]) {
  const known = new Set(live.map(({ id }) => id));
  for (const [index, { id }] of copies.entries()) if (!known.has(id)) throw unknown(id, `duplicate_tiles__${index}__id`);
  return copies.map(({ id, layouts }) => ({ id, layouts: layouts ?? undefined }));
}

function tileOfText({ text }: TileFields, index: number, byText: ReadonlyMap<number, number>): number | null {
  if (text?.id === undefined || text.id === null) return null;
  const id = byText.get(text.id);
  if (id === undefined) throw unknown(text.id, `tiles__${index}__text__id`);
  return id;
}

const unknown = (id: number, attr: string): ApiError =>
  new ApiError('does_not_exist', `Invalid pk "${id}" - object does not exist.`, attr);

function toChange({ text, layouts, color, deleted }: TileFields, id: number, userId: number): TileChange {
  const change: TileChange = { id };
  if (layouts) change.layouts = layouts;
  if (color !== undefined) change.color = color;
  if (typeof deleted === 'boolean') change.deleted = deleted;
  if (text?.body !== undefined) change.text = { body: text.body, last_modified_by: userId };
  return change;
}
