/** Size of a chart; pixels. */
export interface Size {
  width: number;
  height: number;
}

/** Width of the grid on a wide screen, its gap, and what borders and padding of a tile take beyond the eight pixels that charts keep free. */
const GRID = 1200;
const GAP = 12;
const FRAME = 20;
const ROW = 60;
/** Border, padding, title, dates and the line "Numbers" of a tile. */
const HEAD = 107;
/** Height of the lowest chart or table; pixels. */
const LOWEST = 170;
/** Width of the window from which tiles stand as on their dashboard. */
export const WIDE_SCREEN = 1080;

/** Width of a chart in a tile of so many columns, on a wide screen. */
const exactWidth = (columns: number): number => Math.max(220, Math.round(((GRID + GAP) / 12) * columns - GAP - FRAME));

/** Widths for other screens, where tiles have the width of the screen or half of it. */
const OTHERS = [326, 500, 780];
/** A chart is shown this much smaller than drawn before a narrower one takes its place. */
const SMALLEST_SCALE = 0.86;

/** The widths in which charts of a tile are drawn, ascending. Its exact one replaces those that differ little from it. */
function widthsOf(columns: number): number[] {
  const exact = exactWidth(columns);
  const others = OTHERS.filter((width) => (width < 700 || columns >= 9) && Math.abs(width - exact) > 0.12 * exact);
  return [...others, exact].sort((a, b) => a - b);
}

/** The sizes of the charts of a tile with so many columns and rows. Letters have the same size in all of them. */
export function sizesOf(columns: number, rows: number): Size[] {
  const height = Math.min(520, Math.max(LOWEST, rows * (ROW + GAP) - GAP - HEAD));
  return widthsOf(columns).map((width) => ({
    width,
    height: width === exactWidth(columns) ? height : Math.min(Math.max(height, 220), width < 400 ? 260 : 320),
  }));
}

/** Shows of each tile the chart that fits its width, and gives tiles their height on wide screens. */
export const sizeStyles = (): string => {
  const all = new Set<number>();
  const rules = Array.from({ length: 12 }, (_, i) => {
    const widths = widthsOf(i + 1);
    for (const width of widths) all.add(width);
    return widths
      .map((width, at) => {
        const tile = `.w${i + 1} .chart svg`;
        if (at === 0) return `${tile}.v${width}{display:block}`;
        return `@container (min-width:${Math.round(width * SMALLEST_SCALE)}px){${tile}.v${widths[at - 1]}{display:none}${tile}.v${width}{display:block}}`;
      })
      .join('');
  });
  const limits = [...all].map((width) => `.chart .v${width}{max-width:${Math.round(width * 1.2)}px}`);
  const heights = Array.from({ length: 16 }, (_, i) => `.h${i + 1}{min-height:${(i + 1) * (ROW + GAP) - GAP}px}`);
  // a table takes what its tile has left, and scrolls
  const table = `[class*=" h"]>.table:not(.retention){flex:1 1 0;min-height:${LOWEST}px;max-height:none}`;
  return `.chart svg{display:none;width:100%;height:auto;font-family:inherit}${rules.join('')}${limits.join('')}@media screen and (min-width:${WIDE_SCREEN}px){${heights.join('')}${table}}`;
};
