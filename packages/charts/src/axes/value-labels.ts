import type { Canvas } from '../canvas.js';
import type { Insight, Series } from '../insight.js';
import type { Mark } from '../marks.js';
import { type NumberStyle, written } from '../text/number-style.js';
import { colorOf, inkOn } from '../theme/series-color.js';
import type { Plot } from './plot.js';
import type { Column, PlacedSeries } from './series-marks.js';
import { isStacked } from './series-shape.js';
import { hasPlaceByPowers, yOfAxis } from './value-axis.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

const SIZE = 11;
const HEIGHT = 13;
/** Smallest share of a stacked bar that has space for a number, percent. */
const LEAST_SHARE = 6;

/** How the numbers of a series are written. */
export function styleOf(one: Series, insight: SeriesInsight): NumberStyle | undefined {
  return insight.isPercent ? { unit: 'percent' } : one.style;
}

/** Numbers at the ends of bars and points, and within the parts of stacks, if the settings say so and they have space. */
export function valueLabels(
  placed: readonly PlacedSeries[],
  columns: ReadonlyMap<Series, Column>,
  insight: SeriesInsight,
  { width, theme, measure }: Canvas,
  plot: Plot,
): Mark[] {
  const { isShare = false, hasValues = false, unfinished = 0 } = insight;
  if (!hasValues) return [];
  const taken: { x: number; y: number; half: number }[] = [];
  return placed.flatMap(({ one, index, spans, axis }) => {
    const style = isShare ? ({ unit: 'percent', decimals: [0, 1] } as const) : styleOf(one, insight);
    const column = columns.get(one);
    const isInside = column !== undefined && isStacked(one, insight);
    const fill = isInside ? inkOn(colorOf(insight, index, theme), theme) : theme.text;
    const begins = one.isPrevious ? spans.length : spans.length - unfinished;
    return spans.flatMap(([from, to], place): Mark[] => {
      const value = isShare ? to - from : (one.data[place] ?? 0);
      if (value === 0 || (axis.isLog && !hasPlaceByPowers(to))) return [];
      const text = written(value, style);
      const [base, end] = [yOfAxis(axis, plot, from), yOfAxis(axis, plot, to)];
      const x = plot.xOf(place) + (column ? column.from + column.width / 2 : 0);
      const y = isInside ? (base + end) / 2 : end + (value < 0 ? 1 : -1) * 9;
      const half = measure(text, SIZE) / 2;
      const isTooSmall =
        isInside &&
        (2 * half > column.width - 2 ||
          Math.abs(base - end) < HEIGHT ||
          place >= begins ||
          (isShare && Math.abs(value) < LEAST_SHARE));
      const isCovered = taken.some((other) => Math.abs(other.x - x) < other.half + half + 2 && Math.abs(other.y - y) < HEIGHT);
      if (isTooSmall || isCovered || x - half < 0 || x + half > width || y < plot.top - 14 || y > plot.top + plot.height)
        return [];
      taken.push({ x, y, half });
      return [{ kind: 'text', text, x, y, size: SIZE, anchor: 'middle', fill }];
    });
  });
}
