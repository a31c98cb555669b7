import { isObject, type JsonObject } from '../../kernel/json.js';

/** Where a tile is on the grid of 12 columns of a wide screen. */
export interface TilePlace {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** The place in a tile's `layouts`; null when they have none for wide screens. */
export function placeOf({ sm }: JsonObject): TilePlace | null {
  if (!isObject(sm)) return null;
  const { x, y, w, h } = sm;
  const isPlace = typeof x === 'number' && typeof y === 'number' && typeof w === 'number' && typeof h === 'number';
  return isPlace ? { x, y, w, h } : null;
}
