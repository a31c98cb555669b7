import type { Canvas } from '../canvas.js';
import type { Goal, Insight } from '../insight.js';
import { line, type Mark, widthOf } from '../marks.js';
import { more, percent } from '../text/format-number.js';
import { beforeMore, fit, fitMiddle } from '../text/measure.js';
import { type NumberStyle, written } from '../text/number-style.js';
import { colorOf, grayOf, OTHER } from '../theme/series-color.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

const ROW = 28;
const BAR = 24;
const PAD = 8;
/** Narrowest name that leaves space for shares, pixels. */
const NAME = 80;

interface Entry {
  name: string;
  value: number;
  style: NumberStyle | undefined;
  color: string;
  /** Index of its series; null: it is none. */
  series: number | null;
}

/**
 * A row per series, or per category of a single series: the name on a bar in one color, value and share on the right. No row is
 * skipped; those that do not fit become a last row.
 */
export function rankingMarks(insight: SeriesInsight, canvas: Canvas): Mark[] {
  const { width, height, theme, measure } = canvas;
  const { goals = [] } = insight;
  const all = insight.isCategorical ? categoriesOf(insight, canvas) : totalsOf(insight, canvas);
  const hasShares = !insight.isCategorical && insight.series.every(isPart) && all.length > 1;
  const sum = all.reduce((total, { value }) => total + value, 0);
  const top = goals.some(({ label }) => label) ? 20 : 0;
  const atMost = Math.max(1, Math.floor((height - top) / ROW));
  const shown = all.slice(0, all.length > atMost ? Math.max(1, atMost - 1) : atMost);
  const rest = all.slice(shown.length);
  const restValue = hasShares ? rest.reduce((total, { value }) => total + value, 0) : null;
  const values = shown.map(({ value, style }) => written(value, style));
  const bold = { size: 12, isBold: true };
  const valueWidth = Math.max(
    0,
    ...values.map((text) => widthOf(text, bold, measure)),
    restValue === null ? 0 : widthOf(written(restValue, all[0]?.style), bold, measure),
  );
  const shareWidth = hasShares ? Math.max(...all.map(({ value }) => measure(percent(value / sum), 12))) + 12 : 0;
  const isWide = width - 4 * PAD - valueWidth - shareWidth >= NAME;
  const right = width - 2 * PAD;
  const valueRight = isWide ? right - shareWidth : right;
  const nameRoom = Math.max(24, valueRight - valueWidth - 12 - 2 * PAD);
  const scale = scaleOf([...all.map(({ value }) => value), ...goals.map(({ value }) => value), restValue ?? 0], width);
  const rowOf = (entry: Entry, i: number): Mark[] => {
    const y = top + i * ROW + (ROW - BAR) / 2;
    const text = written(entry.value, entry.style);
    const share = sum > 0 ? percent(entry.value / sum) : '';
    const [from, to] = [scale(0), scale(entry.value)];
    const title = `${beforeMore(entry.name)}: ${text}${hasShares ? ` (${share})` : ''}`;
    return [
      {
        kind: 'rect',
        x: Math.min(from, to),
        y,
        width: Math.max(entry.value === 0 ? 0 : 2, Math.abs(to - from)),
        height: BAR,
        radius: 4,
        fill: entry.color,
        fillOpacity: 0.17,
        title,
        ...(entry.series === null ? {} : { point: `total.${entry.series}` as const }),
      },
      { kind: 'text', text: fitMiddle(entry.name, nameRoom, 12, measure), x: 2 * PAD, y: y + BAR / 2, fill: theme.text },
      { kind: 'text', text, x: valueRight, y: y + BAR / 2, anchor: 'end', ...bold, fill: theme.text },
      ...(hasShares && isWide
        ? [{ kind: 'text' as const, text: share, x: right, y: y + BAR / 2, anchor: 'end' as const, fill: theme.text2 }]
        : []),
    ];
  };
  const marks = shown.flatMap(rowOf);
  if (rest.length > 0 && restValue !== null) {
    marks.push(
      ...rowOf(
        { name: restName(rest, insight), value: restValue, style: all[0]?.style, color: theme.other, series: null },
        shown.length,
      ),
    );
  } else if (rest.length > 0) {
    marks.push({
      kind: 'text',
      text: more(rest.length, 'row'),
      x: 2 * PAD,
      y: top + (shown.length + 0.5) * ROW,
      fill: theme.muted,
    });
  }
  return [...marks, ...goals.flatMap((goal) => goalMarks(goal, scale(goal.value), top + shown.length * ROW, canvas))];
}

const restName = (rest: readonly Entry[], { series }: SeriesInsight): string =>
  series.slice(-rest.length).some(({ breakdown }) => breakdown === OTHER) ? 'Other' : `${rest.length} others`;

/** Whether a value is a part of a whole: shares of averages mean nothing. */
const isPart = ({ breakdown, isPrevious, total, isAdditive }: SeriesInsight['series'][number]): boolean =>
  breakdown !== null && !isPrevious && total >= 0 && isAdditive === true;

function totalsOf(insight: SeriesInsight, { theme }: Canvas): Entry[] {
  const isOne = insight.series.every(({ breakdown }) => breakdown !== null) || insight.over !== undefined;
  return insight.series.map((one, i) => ({
    series: i,
    name: one.label || '(no name)',
    value: one.total,
    style: one.style,
    color: grayOf(one.breakdown, theme) ?? one.color ?? (isOne ? (theme.palette[0] ?? '') : colorOf(insight, i, theme)),
  }));
}

function categoriesOf({ labels, series: [only] }: SeriesInsight, { theme }: Canvas): Entry[] {
  const color = only?.color ?? theme.palette[0] ?? '';
  return labels.map((label, i) => ({
    name: label || '(no name)',
    value: only?.data[i] ?? 0,
    style: only?.style,
    color,
    series: null,
  }));
}

/** The place of a value across the width; zero is on the left unless values are negative. */
function scaleOf(values: readonly number[], width: number): (value: number) => number {
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  return (value) => PAD + (high > low ? ((value - low) / (high - low)) * (width - 2 * PAD) : 0);
}

function goalMarks({ label, color }: Goal, x: number, bottom: number, { width, theme, measure }: Canvas): Mark[] {
  const isRight = x > width / 2;
  const text = fit(label, Math.max(40, (isRight ? x : width - x) - 8), 12, measure);
  return [
    line([x, label ? 16 : 0], [x, bottom], color ?? theme.text2),
    ...(label
      ? [
          {
            kind: 'text' as const,
            text,
            x: isRight ? x + 2 : Math.max(0, x - 2),
            y: 8,
            anchor: isRight ? ('end' as const) : ('start' as const),
            fill: theme.text2,
          },
        ]
      : []),
  ];
}
