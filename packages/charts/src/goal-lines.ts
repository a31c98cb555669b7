import type { Canvas } from './chart-option.js';
import type { Goal } from './insight.js';
import { fit } from './measure.js';

const SIZE = 12;

/** What a chart shows. */
interface Range {
  /** How many places the other axis has. */
  places: number;
  /** Its highest number. */
  highest: number;
}

/**
 * Goals as series of their own, one for each, so that the axis of numbers reaches them: nothing is seen of them but the line across.
 * `along`: which axis has the numbers.
 */
export function goalSeries(goals: readonly Goal[], along: 'x' | 'y', { places, highest }: Range, canvas: Canvas): object[] {
  const { width, theme, measure } = canvas;
  const middle = Math.max(highest, ...goals.map(({ value }) => value)) / 2;
  return goals.map(({ label, value, color, isAtStart }) => ({
    type: 'line',
    silent: true,
    data: Array.from({ length: places }, (_, i) => (along === 'y' ? value : [value, i])),
    symbol: 'none',
    lineStyle: { width: 0 },
    markLine: {
      silent: true,
      symbol: 'none',
      data: [along === 'y' ? { yAxis: value } : { xAxis: value }],
      lineStyle: { color: color ?? theme.muted, type: 'dashed', width: 1.5 },
      label: {
        show: label !== '',
        ...(along === 'x'
          ? // above its line, on that side of it where there is room
            { position: 'start', distance: 4, align: value < middle ? 'left' : 'right' }
          : { position: isAtStart ? 'insideStartTop' : 'insideEndTop', distance: 6 }),
        color: color ?? theme.text,
        fontSize: SIZE,
        formatter: () => fit(label, width * (along === 'x' && value < middle ? 0.3 : 0.5), SIZE, measure),
      },
    },
  }));
}
