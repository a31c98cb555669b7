import type { TileSnapshot } from './drawing.js';

/** A rectangle; pixels. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A grid of 12 columns; pixels. */
export interface Grid {
  width: number;
  /** Height of a row without the gap below it. */
  row: number;
  gap: number;
}

const COLUMNS = 12;
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

/**
 * Lays tiles out as on their dashboard. Each falls up as far as it can: hidden tiles leave no gaps, and no tile covers another.
 * `rows`: the height of a tile at most.
 */
export function placeTiles(tiles: readonly TileSnapshot[], { width, row, gap }: Grid, rows = Number.POSITIVE_INFINITY): Box[] {
  const bottoms = new Array<number>(COLUMNS).fill(0);
  const cells = new Map<TileSnapshot, Cells>();
  const placed = tiles.filter(({ place }) => place !== null).sort((a, b) => order(a) - order(b));
  for (const tile of placed) {
    const { x = 0, w = WIDTH, h = HEIGHT } = tile.place ?? {};
    const columns = Math.min(COLUMNS, Math.max(1, Math.round(w)));
    const left = Math.min(COLUMNS - columns, Math.max(0, Math.round(x)));
    drop(tile, left, columns, Math.min(rows, Math.max(MIN_HEIGHT, Math.round(h))));
  }
  for (const tile of tiles.filter(({ place }) => place === null)) {
    const [left, right] = [bottomOf(0, WIDTH), bottomOf(WIDTH, WIDTH)];
    drop(tile, right < left ? WIDTH : 0, WIDTH, HEIGHT);
  }
  const column = (width + gap) / COLUMNS;
  return tiles.map((tile) => {
    const { x, y, w, h } = cells.get(tile) ?? { x: 0, y: 0, w: WIDTH, h: HEIGHT };
    return { x: x * column, y: y * (row + gap), width: w * column - gap, height: h * (row + gap) - gap };
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

/** A tile with its place on a page. */
export interface PlacedTile {
  tile: TileSnapshot;
  box: Box;
}

/**
 * The tiles of each page, which is `height` pixels high; `firstHeight`: the first one. Rows of tiles that would not fit whole begin the next
 * page. A tile that is higher than a page is cut to it.
 */
export function placeOnPages(tiles: readonly TileSnapshot[], grid: Grid, firstHeight: number, height: number): PlacedTile[][] {
  const pages: PlacedTile[][] = [];
  for (let rest = tiles; rest.length > 0; ) {
    const available = pages.length === 0 ? firstHeight : height;
    const rows = Math.max(1, Math.floor((available + grid.gap) / (grid.row + grid.gap)));
    const placed = placeTiles(rest, grid, rows).map((box, i) => ({ tile: rest[i], box }));
    const tooLow = placed.filter(({ box }) => box.y + box.height > available + 0.5);
    const end = Math.min(...tooLow.map(({ box }) => box.y));
    const page = placed.flatMap(({ tile, box }) => (tile && box.y < end ? [{ tile, box }] : []));
    // the first row is on the page, whatever its height
    const shown = page.length > 0 ? page : placed.flatMap(({ tile, box }) => (tile && box.y === 0 ? [{ tile, box }] : []));
    pages.push(shown);
    const drawn = new Set(shown.map(({ tile }) => tile));
    rest = rest.filter((tile) => !drawn.has(tile));
  }
  return pages;
}
