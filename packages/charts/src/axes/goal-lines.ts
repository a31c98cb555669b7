import type { Goal } from '../insight.js';
import { fit } from '../text/measure.js';
import type { Canvas } from './chart-option.js';

const SIZE = 12;

/** Extent of a chart. */
interface Range {
  /** How many categories the other axis has. */
  places: number;
  /** Its highest value. */
  highest: number;
}

/**
 * Builds one invisible series per goal, so that the value axis extends to it; only its mark line is drawn.
 * `along`: which axis is the value axis.
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
      lineStyle: { color: color ?? theme.muted, type: 'solid', width: 1 },
      label: {
        show: label !== '',
        ...(along === 'x'
          ? // at the end of the line, on the side with more space
            { position: 'start', distance: 4, align: value < middle ? 'left' : 'right' }
          : { position: isAtStart ? 'insideStartTop' : 'insideEndTop', distance: 6 }),
        color: color ?? theme.text,
        fontSize: SIZE,
        formatter: () => fit(label, width * (along === 'x' && value < middle ? 0.3 : 0.5), SIZE, measure),
      },
    },
  }));
}
