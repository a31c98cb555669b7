import { isObject, type Json } from '../../kernel/json.js';

/** Where tiles without a place of their own go. */
const LAST = 100;

interface Placed {
  id: number;
  layouts: Json;
}

/** Tiles as one reads them on a wide screen: by row, then by column. */
export const inReadingOrder = <Tile extends Placed>(tiles: readonly Tile[]): Tile[] =>
  tiles
    .map((tile) => ({ tile, y: coordinate(tile.layouts, 'y'), x: coordinate(tile.layouts, 'x') }))
    .sort((a, b) => a.y - b.y || a.x - b.x || a.tile.id - b.tile.id)
    .map(({ tile }) => tile);

function coordinate(layouts: Json, axis: 'x' | 'y'): number {
  const wide = isObject(layouts) ? layouts['sm'] : null;
  const value = isObject(wide) ? wide[axis] : null;
  return typeof value === 'number' ? value : LAST;
}
