import type { Canvas, ChartOption } from './chart-option.js';
import { percent } from './format-number.js';
import type { Insight } from './insight.js';
import { legendOf } from './legend.js';
import { beforeMore } from './measure.js';
import { written } from './number-style.js';
import { colorOf } from './series-color.js';

/** ECharts options of a pie. The numbers stand in the legend, because labels at slices would overlap. */
export function pieOption(insight: Extract<Insight, { kind: 'series' }>, canvas: Canvas): ChartOption {
  const { width, height, theme } = canvas;
  const sum = insight.series.reduce((total, one) => total + Math.max(one.total, 0), 0);
  const entries = insight.series.map((one, i) => ({
    name: `${beforeMore(one.label)}: ${written(one.total, one.style)}${sum > 0 && one.total >= 0 ? ` (${percent(one.total / sum)})` : ''}`,
    color: colorOf(insight, i, theme),
    value: one.total,
  }));
  const [first] = entries;
  // a single slice has a legend, too, because the number stands there
  const legend = legendOf(entries.length === 1 && first ? [first, { name: '', color: 'transparent' }] : entries, canvas);
  const room = Math.min(width, height - legend.height) - 24;
  return {
    graphic: entries.length === 1 ? legend.graphic.slice(0, 2) : legend.graphic,
    series: [
      {
        type: 'pie',
        center: [width / 2, (height - legend.height) / 2],
        radius: [room * 0.26, room * 0.48],
        label: { show: false },
        itemStyle: { borderColor: theme.card, borderWidth: 1 },
        data: entries.filter(({ value }) => value > 0).map(({ name, color, value }) => ({ name, value, itemStyle: { color } })),
      },
    ],
  };
}
