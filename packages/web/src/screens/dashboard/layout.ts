import type { Tile } from '../../data/dashboards.js';

/** Place and size of a tile on 12 columns; rows are 60 px high. */
export interface Place {
  x: number;
  y: number;
  w: number;
  h: number;
}

export const COLUMNS = 12;
export const ROW = 60;
export const GAP = 12;

/** The places of tiles in the order of the screen. Tiles without a place stand below the others. */
export function placesOf(tiles: readonly Tile[]): Map<number, Place> {
  const places = new Map<number, Place>();
  for (const { id, layouts } of tiles) {
    const place = readPlace((layouts as { sm?: unknown }).sm);
    if (place) places.set(id, place);
  }
  let bottom = Math.max(0, ...[...places.values()].map(({ y, h }) => y + h));
  let x = 0;
  for (const { id } of tiles) {
    if (places.has(id)) continue;
    places.set(id, { x, y: bottom, w: 6, h: 5 });
    if (x > 0) bottom += 5;
    x = 6 - x;
  }
  return places;
}

function readPlace(value: unknown): Place | null {
  const { x, y, w, h } = (value ?? {}) as Partial<Record<keyof Place, unknown>>;
  if (![x, y, w, h].every((one) => typeof one === 'number' && Number.isFinite(one))) return null;
  const width = Math.min(COLUMNS, Math.max(1, w as number));
  return {
    x: Math.min(COLUMNS - width, Math.max(0, x as number)),
    y: Math.max(0, y as number),
    w: width,
    h: Math.max(1, h as number),
  };
}

/** Tiles from top to bottom and left to right: their order on phones and for the Tab key. */
export const inReadingOrder = (tiles: readonly Tile[], places: ReadonlyMap<number, Place>): Tile[] =>
  [...tiles].sort((a, b) => {
    const [first, second] = [places.get(a.id), places.get(b.id)];
    return (first?.y ?? 0) - (second?.y ?? 0) || (first?.x ?? 0) - (second?.x ?? 0);
  });
