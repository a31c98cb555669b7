import type { Canvas } from '../canvas.js';
import type { Insight } from '../insight.js';
import { type Mark, type PointName, round, widthOf } from '../marks.js';
import { percent } from '../text/format-number.js';
import { beforeMore, fitMiddle, type Measure } from '../text/measure.js';
import { type NumberStyle, written, writtenShort } from '../text/number-style.js';
import { colorOf, OTHER } from '../theme/series-color.js';

/** Slices that have a color; the others become one. */
const MOST = 6;
const ROW = 22;
const GAP = 16;
/** Narrowest name that is still readable, pixels. */
const NAME = 56;
const WIDEST = 220;
/** Maximal width of the list, so that a number stays near its name. */
const WIDEST_LIST = 420;

/** The hole of a donut as a share of its diameter, and the smallest number in it. */
const HOLE = 0.62;
const SMALLEST = 11;

interface Slice {
  name: string;
  value: number;
  color: string;
  /** Index of its series; null: it is several. */
  series: number | null;
}

/** A donut of the six largest values and the others, with the total in its hole, and a list beside or below it. */
export function shareMarks(insight: Extract<Insight, { kind: 'series' }>, canvas: Canvas): Mark[] {
  const { width, height, theme, measure, hasLegend } = canvas;
  // a picture without a list has all slices
  const slices = slicesOf(insight, canvas, hasLegend ? Math.min(MOST, Math.max(1, Math.floor(height / ROW) - 1)) : MOST);
  const sum = slices.reduce((all, { value }) => all + value, 0);
  const style = insight.series[0]?.style;
  const titleOf = ({ name, value }: Slice) => `${beforeMore(name)}: ${written(value, style)} (${percent(value / sum)})`;
  const list = slices.length * ROW;
  const isBeside = width >= 300;
  const room = { width: width - 16, height: height - 16 };
  const diameter = !hasLegend
    ? Math.min(room.width, room.height, WIDEST)
    : isBeside
      ? Math.min(room.height, room.width * 0.38, WIDEST)
      : Math.min(room.width, room.height - list - GAP, WIDEST);
  const marks: Mark[] = [];
  const hasDonut = diameter >= 56;
  // picture and list are as one in the middle of the height, and on the left of the width
  const stacked = isBeside || !hasDonut ? 0 : diameter + GAP;
  const listTop = isBeside ? Math.max(0, (height - list) / 2) : Math.max(0, (height - list - stacked) / 2) + stacked;
  const center = {
    x: hasLegend && isBeside ? 8 + diameter / 2 : width / 2,
    y: hasLegend && !isBeside ? listTop - GAP - diameter / 2 : height / 2,
  };
  if (hasDonut) {
    let start = 0;
    for (const slice of slices) {
      const end = start + slice.value / sum;
      const d = slicePath(center, diameter / 2, start, end);
      marks.push({
        kind: 'path',
        d,
        fill: slice.color,
        stroke: theme.card,
        strokeWidth: 1.5,
        title: titleOf(slice),
        ...pointOf(slice),
      });
      start = end;
    }
    const hole = diameter * HOLE;
    const widthAt = (text: string, size: number) => widthOf(text, { size, isBold: true }, measure);
    const total = [written(sum, style), writtenShort(sum, style)].find((text) => widthAt(text, SMALLEST) < hole - 8);
    const size = Math.min(20, Math.floor(((hole - 12) / widthAt(total ?? '', 100)) * 100));
    if (total)
      marks.push({
        kind: 'text',
        text: total,
        x: center.x,
        y: center.y - (hole > 60 ? 7 : 0),
        size: Math.max(SMALLEST, size),
        isBold: true,
        anchor: 'middle',
        fill: theme.text,
      });
    if (total && hole > 60)
      marks.push({ kind: 'text', text: 'total', x: center.x, y: center.y + 12, size: 11, anchor: 'middle', fill: theme.text2 });
  }
  if (!hasLegend) return marks;
  const left = isBeside ? 8 + (hasDonut ? diameter + GAP : 0) : 8;
  return [
    ...marks,
    ...listMarks(slices, sum, style, { left, top: listTop, right: Math.min(width - 8, left + WIDEST_LIST) }, canvas),
  ];
}

const pointOf = ({ series }: Slice): { point?: PointName } => (series === null ? {} : { point: `total.${series}` });

/** The slices in descending order; the last may be those that have no color of their own. */
function slicesOf(insight: Extract<Insight, { kind: 'series' }>, { theme }: Canvas, most: number): Slice[] {
  const all = insight.series
    .map((one, i) => ({ name: one.label || '(no name)', value: one.total, color: colorOf(insight, i, theme), series: i, one }))
    .filter(({ value, one }) => value > 0 && !one.isPrevious)
    .sort((a, b) => b.value - a.value);
  const own = all.filter(({ one }) => one.breakdown !== OTHER);
  // one more has no need of a slice of its own
  const limit = own.length < all.length ? most : most + 1;
  const shown = own.slice(0, own.length > limit ? most : limit);
  const others = all.filter((slice) => !shown.includes(slice));
  const rest = others.reduce((sum, { value }) => sum + value, 0);
  const isMore = others.some(({ one }) => one.breakdown === OTHER);
  const name = isMore ? 'Other' : `${others.length} others`;
  return [...shown, ...(rest > 0 ? [{ name, value: rest, color: theme.other, series: null }] : [])].map(
    ({ name, value, color, series }) => ({ name, value, color, series }),
  );
}

interface Edges {
  left: number;
  top: number;
  right: number;
}

/** Names, values and shares. Long names are cut, numbers never. */
function listMarks(
  slices: readonly Slice[],
  sum: number,
  style: NumberStyle | undefined,
  { left, top, right }: Edges,
  { theme, measure }: Canvas,
): Mark[] {
  const bold = { size: 12, isBold: true };
  const values = widest(
    slices.map(({ value }) => written(value, style)),
    bold,
    measure,
  );
  const shares =
    widest(
      slices.map(({ value }) => percent(value / sum)),
      { size: 12 },
      measure,
    ) + 12;
  const names = right - left - 18 - 10 - values;
  const hasShares = names - shares >= NAME;
  const valueRight = hasShares ? right - shares : right;
  return slices.flatMap(({ name, value, color }, i) => {
    const y = top + (i + 0.5) * ROW;
    const room = Math.max(16, names - (hasShares ? shares : 0));
    return [
      { kind: 'rect', x: left, y: y - 5, width: 10, height: 10, radius: 3, fill: color },
      { kind: 'text', text: fitMiddle(name, room, 12, measure), x: left + 18, y, fill: theme.text },
      { kind: 'text', text: written(value, style), x: valueRight, y, anchor: 'end', ...bold, fill: theme.text },
      ...(hasShares
        ? [{ kind: 'text' as const, text: percent(value / sum), x: right, y, anchor: 'end' as const, fill: theme.text2 }]
        : []),
    ] satisfies Mark[];
  });
}

const widest = (texts: readonly string[], style: { size: number; isBold?: boolean }, measure: Measure): number =>
  Math.max(0, ...texts.map((text) => widthOf(text, style, measure)));

/** A slice of a ring from one share of the circle to another, clockwise from the top. */
function slicePath({ x, y }: { x: number; y: number }, radius: number, from: number, to: number): string {
  // an arc cannot close a whole circle
  const end = Math.min(to, from + 0.9999);
  const at = (share: number, r: number) =>
    `${round(x + r * Math.sin(share * 2 * Math.PI))} ${round(y - r * Math.cos(share * 2 * Math.PI))}`;
  const inner = radius * HOLE;
  const isLong = end - from > 0.5 ? 1 : 0;
  return `M${at(from, radius)}A${round(radius)} ${round(radius)} 0 ${isLong} 1 ${at(end, radius)}L${at(end, inner)}A${round(inner)} ${round(inner)} 0 ${isLong} 0 ${at(from, inner)}z`;
}
