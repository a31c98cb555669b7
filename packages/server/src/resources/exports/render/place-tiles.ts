import type { TileSnapshot } from './drawing.js';

/** A rectangle; pixels. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const COLUMNS = 12;
const ROW = 62;
const GAP = 16;
/** Size of a tile without a place. */
const WIDTH = 6;
const HEIGHT = 5;
const MIN_HEIGHT = 2;

interface Cells {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Lays tiles out as on their dashboard. Each falls up as far as it can: hidden tiles leave no gaps, and no tile covers another. */
export function placeTiles(tiles: readonly TileSnapshot[], width: number): Box[] {
  const bottoms = new Array<number>(COLUMNS).fill(0);
  const cells = new Map<TileSnapshot, Cells>();
  const placed = tiles.filter(({ place }) => place !== null).sort((a, b) => order(a) - order(b));
  for (const tile of placed) {
    const { x = 0, w = WIDTH, h = HEIGHT } = tile.place ?? {};
    const columns = Math.min(COLUMNS, Math.max(1, Math.round(w)));
    const left = Math.min(COLUMNS - columns, Math.max(0, Math.round(x)));
    drop(tile, left, columns, Math.max(MIN_HEIGHT, Math.round(h)));
  }
  for (const tile of tiles.filter(({ place }) => place === null)) {
    const [left, right] = [bottomOf(0, WIDTH), bottomOf(WIDTH, WIDTH)];
    drop(tile, right < left ? WIDTH : 0, WIDTH, HEIGHT);
  }
  const column = (width + GAP) / COLUMNS;
  return tiles.map((tile) => {
    const { x, y, w, h } = cells.get(tile) ?? { x: 0, y: 0, w: WIDTH, h: HEIGHT };
    return { x: x * column, y: y * (ROW + GAP), width: w * column - GAP, height: h * (ROW + GAP) - GAP };
  });

  function bottomOf(x: number, w: number): number {
    return Math.max(...bottoms.slice(x, x + w));
  }
  function drop(tile: TileSnapshot, x: number, w: number, h: number): void {
    const y = bottomOf(x, w);
    cells.set(tile, { x, y, w, h });
    bottoms.fill(y + h, x, x + w);
  }
}

const order = ({ place }: TileSnapshot): number => (place ? place.y * 100 + place.x : 0);

/** Points on the page for each pixel of a tile. */
export const POINTS = 0.6;
/** A4, landscape; points, as all sizes here. */
export const PAGE = { width: 841.89, height: 595.28 };
export const MARGIN = 36;
export const PAGE_GAP = 14;
const FOOT = 18;
/** Height of title and description at the top of a page. */
export const HEAD = 52;

/** The grid of tiles on each page of a PDF with this many tiles: one, two, or two by two. */
export function pageCells(count: number, headHeight: number): { columns: number; rows: number; width: number; height: number } {
  const columns = count > 1 ? 2 : 1;
  const rows = count > 2 ? 2 : 1;
  return {
    columns,
    rows,
    width: (PAGE.width - 2 * MARGIN - (columns - 1) * PAGE_GAP) / columns,
    height: (PAGE.height - 2 * MARGIN - headHeight - FOOT - (rows - 1) * PAGE_GAP) / rows,
  };
}
