/** Points of a document by pixel of its pictures' description. */
export const POINTS = 0.6;
/** A4, lying; points. */
export const PAGE = { width: 841.89, height: 595.28 };
export const MARGIN = 36;
export const GAP = 14;
const FOOT = 18;

/** How large tiles are on the pages of a document, and how many a page has. */
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

/** Of a page of a dashboard: its name and what is said of it. */
export const HEAD = 52;
