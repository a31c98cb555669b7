import { isObject, type Json, type JsonObject } from '../../kernel/json.js';

/** Position and size of a tile on the grid of 12 columns of a wide screen. */
export interface TilePlace {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Reads the position from a tile's `layouts`; null: there is none for wide screens. */
export function placeOf({ sm }: JsonObject): TilePlace | null {
  if (!isObject(sm)) return null;
  const { x, y, w, h } = sm;
  const isPlace = typeof x === 'number' && typeof y === 'number' && typeof w === 'number' && typeof h === 'number';
  return isPlace ? { x, y, w, h } : null;
}

/** The row and column of tiles without a layout: below all others. */
const LAST = 100;

interface PlacedTile {
  id: number;
  layouts: Json;
}

/** Sorts tiles in the reading order of a wide screen: by row, then by column. */
export const inReadingOrder = <Tile extends PlacedTile>(tiles: readonly Tile[]): Tile[] =>
  tiles
    .map((tile) => ({ tile, y: coordinate(tile.layouts, 'y'), x: coordinate(tile.layouts, 'x') }))
    .sort((a, b) => a.y - b.y || a.x - b.x || a.tile.id - b.tile.id)
    .map(({ tile }) => tile);

function coordinate(layouts: Json, axis: 'x' | 'y'): number {
  const wide = isObject(layouts) ? layouts['sm'] : null;
  const value = isObject(wide) ? wide[axis] : null;
  return typeof value === 'number' ? value : LAST;
}
