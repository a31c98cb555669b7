import type { Canvas, ChartOption } from './chart-option.js';
import { formatNumber, shortNumber } from './format-number.js';
import type { Insight, Series } from './insight.js';
import { type LegendEntry, legendOf, type Stroke } from './legend.js';
import { fit, fitMiddle } from './measure.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

/** Places in the palette. */
const STATUS_COLORS: Record<string, number> = { new: 0, returning: 2, resurrecting: 4, dormant: 3 };

/** The color of the i-th line. A time before has the color of its present, as far as both are in the same order. */
export function colorOf(insight: SeriesInsight, index: number, palette: readonly string[]): string {
  const { status, isPrevious } = insight.series[index] ?? {};
  const own = status && palette[STATUS_COLORS[status] ?? -1];
  if (own) return own;
  const peers = insight.series.filter((one) => one.isPrevious === isPrevious);
  const place = peers.findIndex(({ label }) => label === insight.series[index]?.label);
  return palette[place % palette.length] ?? '#888888';
}

/** The bounds of a grid hold its labels, too. */
export const WITH_LABELS = { outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' };

/** Lines, areas and bars over time. */
export function seriesOption(insight: SeriesInsight, canvas: Canvas): ChartOption {
  const { width, theme, measure } = canvas;
  const { series, labels, display, isPercent = false, note: said } = insight;
  const entries = series.map((one, i) => ({
    name: one.label,
    color: colorOf(insight, i, theme.palette),
    opacity: opacityOf(one),
    ...(display === 'line' ? { stroke: strokeOf(one, Math.floor(i / theme.palette.length)) } : {}),
  }));
  const legend = legendOf(entries, canvas);
  const isBar = display === 'bar' || display === 'stacked';
  const widest = Math.max(0, ...labels.map((label) => measure(label, 12)));
  return {
    grid: {
      left: 12,
      right: 16,
      top: said ? 34 : 16,
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
    yAxis: valueAxis(theme, isPercent, series),
    graphic: said ? [...legend.graphic, note(fit(said, width - 32, 12, measure), 8, 10, theme.muted)] : legend.graphic,
    series: series.map((one, i) => lineOf(one, insight, entries[i])),
  };
}

/** A time before is drawn paler than the present. */
const opacityOf = (one: Series): number => (one.isPrevious ? 0.5 : 1);

/** Of lines that share a color, one after the other. */
const STROKES: readonly Stroke[] = ['solid', 'dotted', 'dashed'];

/** `round`: how many lines before it have its color. */
const strokeOf = (one: Series, round: number): Stroke =>
  one.isPrevious ? 'dashed' : (STROKES[round % STROKES.length] ?? 'solid');

/** From here on lines have no points: they would hide each other. */
const CROWDED = 10;

/** How many labels are left out between two that are shown. */
const stepOf = (count: number, widest: number, width: number): number =>
  Math.max(0, Math.ceil((count * (widest + 16)) / Math.max(width - 70, 1)) - 1);

const valueAxis = (theme: Canvas['theme'], isPercent: boolean, series: readonly Series[]) => ({
  type: 'value',
  // there are no half events
  ...(series.every(({ data }) => data.every(Number.isInteger)) ? { minInterval: 1 } : {}),
  ...(isPercent ? { min: 0, max: 100 } : {}),
  axisLabel: {
    color: theme.muted,
    fontSize: 12,
    formatter: (value: number) => (isPercent ? `${shortNumber(value)}%` : shortNumber(value)),
  },
  splitLine: { lineStyle: { color: theme.grid } },
});

function lineOf(one: Series, { display, series }: SeriesInsight, entry: LegendEntry | undefined) {
  const { color, opacity = 1, stroke } = entry ?? { color: '' };
  if (display === 'bar' || display === 'stacked') {
    const stack = display === 'stacked' ? { stack: one.isPrevious ? 'previous' : 'current' } : {};
    return { type: 'bar', name: one.label, data: one.data, ...stack, itemStyle: { color, opacity }, barMaxWidth: 60 };
  }
  const isPoint = one.data.length === 1;
  return {
    type: 'line',
    name: one.label,
    data: one.data,
    symbol: 'circle',
    symbolSize: isPoint ? 9 : 5,
    showSymbol: isPoint || (one.data.length <= 31 && series.length <= CROWDED),
    lineStyle: { color, width: 2, opacity, type: stroke ?? (one.isPrevious ? 'dashed' : 'solid') },
    itemStyle: { color, opacity },
    ...(display === 'area'
      ? { stack: one.isPrevious ? 'previous' : 'current', areaStyle: { color, opacity: opacity * 0.35 } }
      : {}),
  };
}

const ROW = 26;

/** One bar for each line, with its number: as many as there is room for, the rest counted. */
export function totalsOption(insight: SeriesInsight, { width, height, theme, measure }: Canvas): ChartOption {
  const room = Math.max(1, Math.floor((height - 30) / ROW));
  const shown = insight.series.slice(0, insight.series.length > room ? room - 1 : room);
  const rest = insight.series.length - shown.length;
  const names = shown.map(({ label }) => fitMiddle(label || '(no name)', width * 0.35, 12, measure));
  const numbers = Math.max(0, ...shown.map(({ total }) => measure(formatNumber(total), 12)));
  const hasNegative = shown.some(({ total }) => total < 0);
  return {
    grid: { left: 12, right: numbers + 24, top: 8, bottom: rest > 0 ? 34 : 12, ...WITH_LABELS },
    xAxis: {
      type: 'value',
      splitLine: { lineStyle: { color: theme.grid }, showMinLine: !hasNegative },
      axisLabel: { show: false },
      // numbers of bars to the left stand on their left
      ...(hasNegative
        ? {
            min: ({ min, max }: { min: number; max: number }) =>
              min - ((Math.max(max, 0) - min) * (numbers + 16)) / (width * 0.5),
          }
        : {}),
    },
    yAxis: {
      type: 'category',
      inverse: true,
      data: names.map((_, i) => String(i)),
      axisTick: { show: false },
      axisLine: { show: false, onZero: false },
      axisLabel: { color: theme.text, fontSize: 12, interval: 0, formatter: (i: string) => names[Number(i)] ?? '' },
    },
    graphic: rest > 0 ? [note(`+ ${rest} more`, 16, height - 14, theme.muted)] : [],
    series: [
      {
        type: 'bar',
        barMaxWidth: 22,
        data: shown.map(({ total }, i) => ({
          value: total,
          itemStyle: { color: colorOf(insight, i, theme.palette), borderRadius: 2 },
          label: {
            show: true,
            position: total < 0 ? 'left' : 'right',
            color: theme.text,
            fontSize: 12,
            formatter: () => formatNumber(total),
          },
        })),
      },
    ],
  };
}

/** A small text at a place. */
export const note = (text: string, x: number, y: number, fill: string) => ({
  type: 'text',
  x,
  y,
  style: { text, fill, fontSize: 12, verticalAlign: 'middle' },
});
