import type { Canvas } from '../canvas.js';
import type { Insight, Series } from '../insight.js';
import { type Mark, round } from '../marks.js';
import { colorOf } from '../theme/series-color.js';
import type { Plot } from './plot.js';
import { isStacked, type Span, shapeOf, stackOf } from './series-shape.js';
import { hasPlaceByPowers, type ValueAxis, yOfAxis } from './value-axis.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

/** The previous period has half the strength of the current one. */
export const opacityOf = (one: Series): number => (one.isPrevious ? 0.5 : 1);

/** Maximal width of a bar, pixels. */
const BAR = 48;
/** Share of a bucket that its bars take. */
const FILLED = 0.82;
const RADIUS = 3;
const DASHES = [4, 3];

/** A series of a chart with axes. */
export interface PlacedSeries {
  one: Series;
  index: number;
  spans: readonly Span[];
  axis: ValueAxis;
}

/** The bars of one series within each bucket; pixels from its middle. */
export interface Column {
  from: number;
  width: number;
}

/** The columns of the bars by series; those of a stack share one. Empty: the chart has no bars. */
export function columnsOf(insight: SeriesInsight, { step }: Plot): Map<Series, Column> {
  const bars = insight.series.filter((one) => shapeOf(one, insight) === 'bar');
  const keyOf = (one: Series) => (isStacked(one, insight) ? stackOf(one) : one);
  const keys = [...new Set(bars.map(keyOf))];
  const gap = step / Math.max(1, keys.length) < 8 ? 0 : 2;
  const width = Math.min(BAR, Math.max(0.5, (step * FILLED - gap * (keys.length - 1)) / Math.max(1, keys.length)));
  const all = keys.length * (width + gap) - gap;
  return new Map(bars.map((one) => [one, { from: keys.indexOf(keyOf(one)) * (width + gap) - all / 2, width }]));
}

/** The bars of a series. Those of buckets that are not over yet are hatched. */
export function barMarks(
  { one, index, spans, axis }: PlacedSeries,
  { from: left, width }: Column,
  insight: SeriesInsight,
  { theme }: Canvas,
  plot: Plot,
): Mark[] {
  const color = colorOf(insight, index, theme);
  const begins = unfinishedFrom(one, spans, insight);
  const isPart = isStacked(one, insight);
  const opacity = one.isPrevious ? { opacity: opacityOf(one) } : {};
  return spans.flatMap(([from, to], place): Mark[] => {
    if (from === to || (axis.isLog && !hasPlaceByPowers(to))) return [];
    const [base, end] = [within(plot, yOfAxis(axis, plot, from)), within(plot, yOfAxis(axis, plot, to))];
    // a line of the card's color between the parts of a stack, and a pixel for the smallest bar
    const size = Math.abs(end - base);
    const height = isPart ? size - (from !== 0 && size > 2 ? 1 : 0) : Math.max(1, size);
    const x = plot.xOf(place) + left;
    const y = end <= base ? base - size : base + size - height;
    const paint = place < begins ? { fill: color, ...opacity } : { hatch: color, stroke: color, strokeWidth: 1, ...opacity };
    const radius = Math.min(RADIUS, width / 4, height);
    if (isPart || radius < 1)
      return [{ kind: 'rect', x, y, width, height, radius: radius < 1 ? 0 : Math.min(2, radius), ...paint }];
    return [{ kind: 'path', d: roundedBar(x, y, width, height, radius, end > base), ...paint }];
  });
}

/** A bar that is round at its end, which is at the bottom of negative numbers. */
function roundedBar(x: number, y: number, width: number, height: number, radius: number, isDown: boolean): string {
  const side = round(height - radius);
  const [start, sign, sweep] = isDown ? [y, 1, 0] : [y + height, -1, 1];
  const r = round(radius);
  return `M${round(x)} ${round(start)}v${sign * side}a${r} ${r} 0 0 ${sweep} ${r} ${sign * r}h${round(width - 2 * radius)}a${r} ${r} 0 0 ${sweep} ${r} ${-sign * r}v${-sign * side}z`;
}

const within = ({ top, height }: Plot, y: number): number => Math.min(top + height, Math.max(top, y));

/** A line, with an area below it for that shape. From the last whole bucket on it is dashed, with a hollow end. */
export function lineMarks(
  { one, index, spans: all, axis }: PlacedSeries,
  insight: SeriesInsight,
  { theme }: Canvas,
  plot: Plot,
): Mark[] {
  const color = colorOf(insight, index, theme);
  const spans = all.slice(0, all.length - upcomingOf(one, insight));
  const begins = unfinishedFrom(one, all, insight);
  const opacity = opacityOf(one);
  const strength = opacity < 1 ? { opacity } : {};
  const hasPoint = ([, to]: Span) => !axis.isLog || hasPlaceByPowers(to);
  const pointOf = (place: number, end: 0 | 1): Point => [
    plot.xOf(place),
    within(plot, yOfAxis(axis, plot, spans[place]?.[end] ?? 0)),
  ];
  const part = (from: number, to: number, isOver: boolean): Mark[] =>
    runsOf(spans, from, to, hasPoint).flatMap((run): Mark[] => {
      const points = run.map((place) => pointOf(place, 1));
      const [first] = points;
      const below = run.map((place) => pointOf(place, 0)).reverse();
      const area: Mark[] =
        shapeOf(one, insight) === 'area' && run.length > 1
          ? [{ kind: 'path', d: `${pathOf([...points, ...below])}z`, fill: color, fillOpacity: opacity * (isOver ? 0.3 : 0.15) }]
          : [];
      if (run.length === 1)
        return isOver && first ? [{ kind: 'circle', x: first[0], y: first[1], radius: 3.5, fill: color, ...strength }] : [];
      const dash = isOver ? {} : { dash: DASHES };
      return [
        ...area,
        {
          kind: 'path',
          d: pathOf(points),
          stroke: color,
          strokeWidth: one.isPrevious ? 1 : 2,
          isRound: true,
          ...dash,
          ...strength,
        },
      ];
    });
  const last = spans.length - 1;
  const end = spans[last];
  const isHollow = begins <= last && end !== undefined && hasPoint(end);
  const [x, y] = pointOf(last, 1);
  return [
    ...part(0, begins, true),
    ...(begins <= last ? part(Math.max(0, begins - 1), spans.length, false) : []),
    ...(isHollow ? [{ kind: 'circle' as const, x, y, radius: 3.5, fill: theme.card, stroke: color, strokeWidth: 2 }] : []),
  ];
}

type Point = readonly [x: number, y: number];

const pathOf = (points: readonly Point[]): string =>
  `M${points.map(([x, y]) => `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`).join('L')}`;

/** Places of neighboring points without a gap. */
function runsOf(spans: readonly Span[], from: number, to: number, hasPoint: (span: Span) => boolean): number[][] {
  const runs: number[][] = [];
  let run: number[] = [];
  for (let place = from; place < to; place++) {
    const span = spans[place];
    if (span && hasPoint(span)) {
      if (run.length === 0) runs.push(run);
      run.push(place);
    } else run = [];
  }
  return runs;
}

/** How many buckets at the end have no number yet; of the previous period all have. */
const upcomingOf = (one: Series, { upcoming = 0 }: SeriesInsight): number => (one.isPrevious ? 0 : upcoming);

/** Place of the first bucket that is not over; of the previous period all are. */
const unfinishedFrom = (one: Series, spans: readonly Span[], { unfinished = 0 }: SeriesInsight): number =>
  one.isPrevious ? spans.length : Math.max(0, spans.length - unfinished);
