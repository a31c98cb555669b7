import type { Canvas } from '../canvas.js';
import type { Goal } from '../insight.js';
import { line, type Mark } from '../marks.js';
import { fit } from '../text/measure.js';
import type { Plot } from './plot.js';

const SIZE = 12;
/** Pixels between a line and its label, and from the end of the plot. */
const GAP = 9;

/** A line across the plot for each goal, with its label above it, or below where the plot ends. */
export function goalMarks(
  goals: readonly Goal[],
  { left, top, width }: Plot,
  yOf: (value: number) => number,
  { theme, measure }: Canvas,
): Mark[] {
  return goals.flatMap(({ label, value, color, isAtStart }): Mark[] => {
    const y = yOf(value);
    const mark = line([left, y], [left + width, y], color ?? theme.muted);
    if (label === '') return [mark];
    return [
      mark,
      {
        kind: 'text',
        text: fit(label, width * 0.5, SIZE, measure),
        x: isAtStart ? left + GAP : left + width - GAP,
        y: y - top < 2 * GAP ? y + GAP : y - GAP,
        size: SIZE,
        anchor: isAtStart ? 'start' : 'end',
        fill: color ?? theme.text,
      },
    ];
  });
}
