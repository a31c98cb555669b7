import { legendOf } from '../axes/legend.js';
import { isStacked, sharesOf } from '../axes/series-shape.js';
import { styleOf } from '../axes/value-labels.js';
import type { Canvas } from '../canvas.js';
import type { Insight } from '../insight.js';
import type { Mark } from '../marks.js';
import { more } from '../text/format-number.js';
import { beforeMore, fitMiddle } from '../text/measure.js';
import { written } from '../text/number-style.js';
import { colorOf } from '../theme/series-color.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

const PAD = 8;
/** Height of a name, of a bar with its number, and of the space below them. */
const NAME = 18;
const BAR = 14;
const GAP = 8;
/** From this width on names stand beside their bars, in this share of it at most. */
const WIDE = 480;
const MOST_NAME = 0.3;
/** Series with a bar of their own. */
const MOST = 8;

/**
 * Categories that do not fit below a plot: a name for each, and below or beside it a bar for each series, or one with all of a stack. None is
 * skipped; those that do not fit are counted.
 */
export function categoryMarks(insight: SeriesInsight, canvas: Canvas): Mark[] {
  const { width, height, theme, measure } = canvas;
  const { labels, isShare = false } = insight;
  const shares = isShare ? sharesOf(insight.series) : [];
  const all = insight.series.map((one, index) => ({
    one,
    data: shares[index] ?? one.data,
    color: colorOf(insight, index, theme),
  }));
  const isStack = all.some(({ one }) => isStacked(one, insight));
  const drawn = isStack ? all : all.slice(0, MOST);
  const legend = legendOf(
    drawn.map(({ one, color }) => ({ name: one.label, color })),
    canvas,
    0,
  );
  const textOf = ({ one, data }: (typeof all)[number], place: number): string =>
    written(data[place] ?? 0, isShare ? { unit: 'percent', decimals: [0, 1] } : styleOf(one, insight));
  const sumOf = (place: number): string =>
    written(
      all.reduce((sum, { data }) => sum + (data[place] ?? 0), 0),
      all[0] && styleOf(all[0].one, insight),
    );
  const numbers = (place: number): string[] => (isStack ? [isShare ? '' : sumOf(place)] : drawn.map((one) => textOf(one, place)));
  const room = Math.max(...labels.flatMap((_, place) => numbers(place).map((text) => measure(text, 11)))) + 8;
  const isBeside = width >= WIDE;
  const names = labels.map((label) => label || '(no name)');
  const nameWidth = isBeside ? Math.min(Math.max(...names.map((name) => measure(name, 12))), width * MOST_NAME) : width - 2 * PAD;
  const left = isBeside ? PAD + nameWidth + 12 : PAD;
  const above = isBeside ? 0 : NAME;
  const block = above + (isStack ? 1 : drawn.length) * BAR + GAP;
  const fitting = (below: number) => Math.max(1, Math.floor((height - legend.height - below) / block));
  const shown = labels.slice(0, labels.length > fitting(0) ? fitting(NAME) : fitting(0));
  const scales = scalesOf(insight, all, isStack, [left, Math.max(left + 16, width - PAD - room)]);
  const marks = shown.flatMap((_, place): Mark[] => {
    const top = legend.height + place * block;
    const name = names[place] ?? '';
    const ends = { up: 0, down: 0 };
    const bars = drawn.flatMap((part, i): Mark[] => {
      const value = part.data[place] ?? 0;
      const side = value < 0 ? 'down' : 'up';
      const from = isStack ? ends[side] : 0;
      ends[side] += value;
      const scale = scales[part.one.axis ?? 0];
      if (!scale) return [];
      const [start, end] = [scale(from), scale(from + value)].sort((a, b) => a - b) as [number, number];
      const y = top + above + (isStack ? 0 : i * BAR);
      return [
        {
          kind: 'rect',
          x: start,
          y: y + 2,
          width: Math.max(value === 0 ? 0 : 1, end - start),
          height: BAR - 4,
          radius: 2,
          fill: part.color,
          title: `${beforeMore(name)}, ${part.one.label}: ${textOf(part, place)}`,
        },
      ];
    });
    return [
      {
        kind: 'text',
        text: fitMiddle(name, nameWidth, 12, measure),
        x: PAD,
        y: top + (isBeside ? (block - GAP) / 2 : NAME / 2),
        fill: theme.text,
      },
      ...bars,
      ...numbers(place).map(
        (text, i): Mark => ({
          kind: 'text',
          text,
          x: width - PAD,
          y: top + above + (i + 0.5) * BAR,
          size: 11,
          anchor: 'end',
          fill: theme.text2,
        }),
      ),
    ];
  });
  const hidden = [
    shown.length < labels.length ? more(labels.length - shown.length, 'row') : '',
    drawn.length < all.length ? more(all.length - drawn.length, 'column') : '',
  ].filter(Boolean);
  if (hidden.length === 0) return [...legend.marks, ...marks];
  const y = Math.min(height - 8, legend.height + shown.length * block + NAME / 2);
  return [...legend.marks, ...marks, { kind: 'text', text: hidden.join(', '), x: PAD, y, fill: theme.muted }];
}

/** The places of numbers on each axis: zero is on the left unless numbers are negative. */
function scalesOf(
  { axes = [{}] }: SeriesInsight,
  all: readonly { one: { axis?: number }; data: readonly number[] }[],
  isStack: boolean,
  [left, right]: readonly [number, number],
): ((value: number) => number)[] {
  return axes.map((_, axis) => {
    const own = all.filter(({ one }) => (one.axis ?? 0) === axis).map(({ data }) => data);
    const count = Math.max(0, ...own.map((data) => data.length));
    const sums = (sign: 1 | -1) =>
      Array.from({ length: count }, (_, place) => own.reduce((sum, data) => sum + Math.max(0, sign * (data[place] ?? 0)), 0));
    const ends = isStack ? [...sums(1), ...sums(-1).map((value) => -value)] : own.flat();
    const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)];
    return (value) => left + (high > low ? ((value - low) / (high - low)) * (right - left) : 0);
  });
}
