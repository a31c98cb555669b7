import type { Canvas, ChartOption } from './chart-option.js';
import { percent } from './format-number.js';
import type { Insight } from './insight.js';
import { BOLD, fit } from './measure.js';
import { type NumberStyle, written } from './number-style.js';

/** ECharts options of a single number, as large as fits, with its change against the previous period. */
export function numberOption(
  { series }: Extract<Insight, { kind: 'series' }>,
  { width, height, theme, measure }: Canvas,
): ChartOption {
  const current = series.find(({ isPrevious }) => !isPrevious) ?? series[0];
  const before = series.find(({ isPrevious }) => isPrevious);
  const text = written(current?.total ?? 0, current?.style);
  const size = Math.max(14, Math.min(96, height * 0.4, ((width - 32) / Math.max(measure(text, 100) * BOLD, 1)) * 100));
  const change = before && current ? changed(current.total, before.total, current.style) : (current?.label ?? '');
  const centered = { align: 'center', verticalAlign: 'middle' };
  return {
    graphic: [
      {
        type: 'text',
        x: width / 2,
        y: height / 2 - 10,
        style: { text, fill: theme.text, fontSize: size, fontWeight: 'bold', ...centered },
      },
      {
        type: 'text',
        x: width / 2,
        y: height / 2 + size / 2 + 14,
        style: { text: fit(change, width - 32, 13, measure), fill: theme.muted, fontSize: 13, ...centered },
      },
    ],
  };
}

function changed(now: number, before: number, style: NumberStyle | undefined): string {
  if (before === 0) return `before: ${written(before, style)}`;
  const share = (now - before) / Math.abs(before);
  return `${share < 0 ? '-' : '+'}${percent(Math.abs(share))}, before: ${written(before, style)}`;
}
