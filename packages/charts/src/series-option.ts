import type { Canvas, ChartOption } from './chart-option.js';
import { goalSeries } from './goal-lines.js';
import type { Insight, Series } from './insight.js';
import { type LegendEntry, legendOf } from './legend.js';
import { fit } from './measure.js';
import { written } from './number-style.js';
import { colorOf } from './series-color.js';
import { note } from './theme.js';
import { hasPlaceByPowers, isByPowers, valueAxes } from './value-axis.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

/** ECharts grid options whose bounds include the axis labels. */
export const WITH_LABELS = { outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' };

type Shape = NonNullable<Series['shape']>;

const shapeOf = ({ shape }: Series, { display }: SeriesInsight): Shape => {
  if (shape) return shape;
  return display === 'bar' || display === 'stacked' ? 'bar' : display === 'area' ? 'area' : 'line';
};

/** ECharts options of lines, areas and bars over time. */
export function seriesOption(insight: SeriesInsight, canvas: Canvas): ChartOption {
  const { width, theme, measure } = canvas;
  const { series, labels, isShare = false, hasValues = false, note: said } = insight;
  const goals = (insight.goals ?? []).filter(({ value }) => !isByPowers(insight, 0) || hasPlaceByPowers(value));
  const entries = series.map((one, i) => ({
    name: one.label,
    color: colorOf(insight, i, theme),
    opacity: opacityOf(one),
  }));
  const legend = legendOf(entries, canvas);
  const isBar = series.some((one) => shapeOf(one, insight) === 'bar');
  const widest = Math.max(0, ...labels.map((label) => measure(label, 12)));
  const shown = isShare ? shares(series) : series.map(({ data }) => data);
  return {
    grid: {
      left: 12,
      right: 16,
      top: (said ? 34 : 16) + (hasValues || goals.some(({ label }) => label) ? 14 : 0),
      bottom: legend.height + 8,
      ...WITH_LABELS,
    },
    xAxis: {
      type: 'category',
      data: labels,
      boundaryGap: isBar || labels.length === 1,
      axisLine: { lineStyle: { color: theme.border } },
      axisTick: { show: false },
      axisLabel: {
        color: theme.muted,
        fontSize: 12,
        hideOverlap: true,
        interval: stepOf(labels.length, widest, width),
        margin: 10,
      },
    },
    yAxis: valueAxes(insight, canvas),
    graphic: said ? [...legend.graphic, note(fit(said, width - 32, 12, measure), 8, 10, theme.muted)] : legend.graphic,
    series: [
      ...series.map((one, i) => lineOf(one, shown[i] ?? [], insight, entries[i], canvas)),
      ...goalSeries(goals, 'y', { places: labels.length, highest: 0 }, canvas),
    ],
  };
}

/** The previous period is paler than the current one. */
const opacityOf = (one: Series): number => (one.isPrevious ? 0.5 : 1);

/** Charts with more lines draw no points, which would hide each other. */
const CROWDED = 10;

/** Maximal width of a bar, pixels. */
const BAR = 60;
/** Smallest share of a stacked bar that has space for a number, percent. */
const LEAST_SHARE = 6;

/** How many labels are skipped between two visible ones. */
const stepOf = (count: number, widest: number, width: number): number =>
  Math.max(0, Math.ceil((count * (widest + 16)) / Math.max(width - 70, 1)) - 1);

/** Each number as a percentage of its stack. */
function shares(series: readonly Series[]): number[][] {
  const sumOf = ({ isPrevious, axis = 0 }: Series, place: number) =>
    series.reduce((sum, one) => {
      const isBeside = one.isPrevious === isPrevious && (one.axis ?? 0) === axis;
      return isBeside ? sum + Math.abs(one.data[place] ?? 0) : sum;
    }, 0);
  return series.map((one) =>
    one.data.map((value, place) => {
      const sum = sumOf(one, place);
      return sum === 0 ? 0 : (value / sum) * 100;
    }),
  );
}

function lineOf(
  one: Series,
  data: readonly number[],
  insight: SeriesInsight,
  entry: LegendEntry | undefined,
  { width, theme, measure }: Canvas,
) {
  const { color, opacity = 1 } = entry ?? { color: '' };
  const { display, series, isShare = false, isPercent = false, hasValues = false } = insight;
  const { axis = 0 } = one;
  const shape = shapeOf(one, insight);
  const points = isByPowers(insight, axis) ? data.map((value) => (hasPlaceByPowers(value) ? value : null)) : data;
  const stack = { stack: `${one.isPrevious ? 'previous' : 'current'} ${axis}` };
  const style = isShare
    ? ({ unit: 'percent', decimals: [0, 1] } as const)
    : isPercent
      ? ({ unit: 'percent' } as const)
      : one.style;
  const isInside = shape === 'bar' && display === 'stacked';
  const bar = Math.min(BAR, (0.7 * (width - 70)) / Math.max(1, data.length));
  const common = {
    name: one.label,
    data: points,
    ...(axis > 0 ? { yAxisIndex: axis } : {}),
    ...(hasValues
      ? {
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
        }
      : {}),
  };
  if (shape === 'bar') {
    return { type: 'bar', ...common, ...(display === 'stacked' ? stack : {}), itemStyle: { color, opacity }, barMaxWidth: BAR };
  }
  const isPoint = one.data.length === 1;
  return {
    type: 'line',
    ...common,
    // lines lie above the bars
    z: 3,
    symbol: 'circle',
    symbolSize: isPoint ? 9 : 5,
    showSymbol: isPoint || hasValues || (one.data.length <= 31 && series.length <= CROWDED),
    lineStyle: {
      color,
      width: one.isPrevious ? 1 : 2,
      opacity,
    },
    itemStyle: { color, opacity },
    ...(shape === 'area' ? { ...(display === 'area' ? stack : {}), areaStyle: { color, opacity: opacity * 0.35 } } : {}),
  };
}
