/** Points on the page for each pixel of a tile. */
export const POINTS = 0.6;
/** A4, landscape; points, as all sizes here. */
export const PAGE = { width: 841.89, height: 595.28 };
export const MARGIN = 36;
export const GAP = 14;
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
    width: (PAGE.width - 2 * MARGIN - (columns - 1) * GAP) / columns,
    height: (PAGE.height - 2 * MARGIN - headHeight - FOOT - (rows - 1) * GAP) / rows,
  };
}
