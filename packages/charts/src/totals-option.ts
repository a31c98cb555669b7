import type { Canvas, ChartOption } from './chart-option.js';
import { goalSeries } from './goal-lines.js';
import type { Insight } from './insight.js';
import { fitMiddle } from './measure.js';
import { written } from './number-style.js';
import { colorOf } from './series-color.js';
import { WITH_LABELS } from './series-option.js';
import { note } from './theme.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

const ROW = 26;

/** ECharts options of a bar per series, with its total. Bars that do not fit are counted. */
export function totalsOption(insight: SeriesInsight, canvas: Canvas): ChartOption {
  const { width, height, theme, measure } = canvas;
  const { goals = [] } = insight;
  const room = Math.max(1, Math.floor((height - 30) / ROW));
  const shown = insight.series.slice(0, insight.series.length > room ? room - 1 : room);
  const rest = insight.series.length - shown.length;
  const names = shown.map(({ label }) => fitMiddle(label || '(no name)', width * 0.35, 12, measure));
  const numbers = Math.max(0, ...shown.map(({ total, style }) => measure(written(total, style), 12)));
  const hasNegative = shown.some(({ total }) => total < 0);
  return {
    grid: {
      left: 12,
      right: numbers + 24,
      top: goals.some(({ label }) => label) ? 24 : 8,
      bottom: rest > 0 ? 34 : 12,
      ...WITH_LABELS,
    },
    xAxis: {
      type: 'value',
      splitLine: { lineStyle: { color: theme.grid }, showMinLine: !hasNegative },
      axisLabel: { show: false },
      // negative bars have their number on the left
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
        data: shown.map(({ total, style }, i) => ({
          value: total,
          itemStyle: { color: colorOf(insight, i, theme), borderRadius: 2 },
          label: {
            show: true,
            position: total < 0 ? 'left' : 'right',
            color: theme.text,
            fontSize: 12,
            formatter: () => written(total, style),
          },
        })),
      },
      ...goalSeries(goals, 'x', { places: shown.length, highest: Math.max(...shown.map(({ total }) => total)) }, canvas),
    ],
  };
}
