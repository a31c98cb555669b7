import type { Insight, Series } from '../insight.js';
import { type NumberStyle, written } from '../text/number-style.js';
import { colorOf } from '../theme/series-color.js';
import type { Canvas } from './chart-option.js';
import { shapeOf } from './series-shape.js';
import { hasPlaceByPowers, isByPowers } from './value-axis.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

/** The previous period has half the strength of the current one. */
export const opacityOf = (one: Series): number => (one.isPrevious ? 0.5 : 1);

/** Maximal width of a bar, pixels. */
const BAR = 48;
/** Smallest share of a stacked bar that has space for a number, percent. */
const LEAST_SHARE = 6;
const DASHES = [4, 3];

/** How the numbers of a series are written. */
export function styleOf(one: Series, insight: SeriesInsight): NumberStyle | undefined {
  return insight.isPercent ? { unit: 'percent' } : one.style;
}

/** The ECharts series of a line, an area or bars. What is not over yet is dashed or hatched; a line that is dashed at its end is two. */
export function lineOf(one: Series, index: number, data: readonly number[], insight: SeriesInsight, canvas: Canvas): object[] {
  const { theme } = canvas;
  const { display, unfinished = 0 } = insight;
  const { axis = 0 } = one;
  const shape = shapeOf(one, insight);
  const color = colorOf(insight, index, theme);
  const opacity = opacityOf(one);
  const points: (number | null)[] = isByPowers(insight, axis)
    ? data.map((value) => (hasPlaceByPowers(value) ? value : null))
    : [...data];
  const stack = `${one.isPrevious ? 'previous' : 'current'} ${axis}`;
  const begins = one.isPrevious ? points.length : Math.max(0, points.length - unfinished);
  const common = {
    name: one.label,
    ...(axis > 0 ? { yAxisIndex: axis } : {}),
    ...valueLabels(one, data, insight, canvas),
    emphasis: { disabled: true },
    silent: true,
  };
  if (shape === 'bar') {
    const isStacked = display === 'stacked';
    return [
      {
        type: 'bar',
        ...common,
        data: points.map((value, place) => (place < begins ? value : { value, itemStyle: { decal: hatchOf(theme.card) } })),
        ...(isStacked ? { stack } : {}),
        itemStyle: {
          color,
          opacity,
          ...(isStacked ? {} : { borderRadius: [2, 2, 0, 0] }),
          ...(isStacked ? { borderColor: theme.card, borderWidth: 0.5 } : {}),
        },
        barMaxWidth: BAR,
        barCategoryGap: '18%',
      },
    ];
  }
  const isArea = shape === 'area';
  const isStacked = isArea && display === 'area';
  const line = (values: readonly unknown[], part: string, type: 'solid' | number[]) => ({
    type: 'line',
    ...common,
    data: values,
    // lines lie above the bars
    z: 3,
    symbol: 'none',
    showAllSymbol: true,
    lineStyle: { color, width: one.isPrevious ? 1 : 2, opacity, type, join: 'round' },
    itemStyle: { color, opacity },
    ...(isStacked ? { stack: `${stack} ${part}` } : {}),
    ...(isArea ? { areaStyle: { color, opacity: opacity * (type === 'solid' ? 0.3 : 0.15) } } : {}),
  });
  const dot = (value: number | null) => ({ value, symbol: 'circle', symbolSize: 7 });
  const solid = points.map((value, i) => (i >= begins ? null : isAlone(points.slice(0, begins), i) ? dot(value) : value));
  if (begins >= points.length) return [line(solid, '', 'solid')];
  const dashed = points.map((value, i) => {
    if (i < begins - 1) return null;
    const end = { ...dot(value), itemStyle: { color: theme.card, borderColor: color, borderWidth: 2, opacity: 1 } };
    return i === points.length - 1 ? end : value;
  });
  return [...(begins > 0 ? [line(solid, '', 'solid')] : []), line(dashed, 'unfinished', DASHES)];
}

/** Whether a point has no neighbor, so that no line shows it. */
const isAlone = (points: readonly (number | null)[], i: number): boolean =>
  points[i] !== null && (points[i - 1] ?? null) === null && (points[i + 1] ?? null) === null;

/** Diagonal stripes of the background over a bar. */
const hatchOf = (color: string) => ({
  symbol: 'rect',
  color,
  dashArrayX: [1, 0],
  dashArrayY: [2, 3],
  rotation: -Math.PI / 4,
});

/** Numbers beside points and bars, if the settings of the chart say so and they have room. */
function valueLabels(one: Series, data: readonly number[], insight: SeriesInsight, { width, theme, measure }: Canvas): object {
  const { display, isShare = false, hasValues = false } = insight;
  if (!hasValues) return {};
  const style = isShare ? ({ unit: 'percent', decimals: [0, 1] } as const) : styleOf(one, insight);
  const isInside = shapeOf(one, insight) === 'bar' && display === 'stacked';
  const bar = Math.min(BAR, (0.7 * (width - 70)) / Math.max(1, data.length));
  return {
    label: {
      show: true,
      ...(isInside ? { position: 'inside', color: theme.card } : { position: 'top', color: theme.text }),
      fontSize: 11,
      formatter: ({ value }: { value: number | null }) => {
        const text = value ? written(value, style) : '';
        const hasRoom = !isInside || (measure(text, 11) <= bar && !(isShare && Math.abs(value ?? 0) < LEAST_SHARE));
        return hasRoom ? text : '';
      },
    },
    labelLayout: { hideOverlap: true },
  };
}
