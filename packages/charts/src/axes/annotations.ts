import type { Insight } from '../insight.js';
import { fit } from '../text/measure.js';
import type { Canvas } from './chart-option.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

/** Letters of the alphabet. */
const MOST = 26;
const RADIUS = 8;
const LINE = 17;
/** Lines of notes at most. */
const MOST_NOTES = 4;

const letterOf = (index: number): string => String.fromCharCode(65 + index);

/** A dotted line with a letter for each annotation. */
export function annotationMarks(
  { annotations = [] }: SeriesInsight,
  { theme }: Canvas,
  xOf: (place: number) => number,
  { top, height }: { top: number; height: number },
): object[] {
  return annotations.slice(0, MOST).flatMap(({ place }, i) => {
    const [x, y] = [xOf(place), top - RADIUS - 3];
    return [
      {
        type: 'line',
        silent: true,
        shape: { x1: x, y1: top - 3, x2: x, y2: top + height },
        style: { stroke: theme.muted, lineWidth: 1, lineDash: [1, 3] },
      },
      {
        type: 'circle',
        silent: true,
        shape: { cx: x, cy: y, r: RADIUS },
        style: { fill: theme.card, stroke: theme.border, lineWidth: 1 },
      },
      {
        type: 'text',
        silent: true,
        x,
        y,
        style: { text: letterOf(i), fill: theme.text2, fontSize: 11, align: 'center', verticalAlign: 'middle' },
      },
    ];
  });
}

/** What the letters mean, in lines at the bottom of the chart. */
export function annotationNotes(
  { annotations = [], labels }: SeriesInsight,
  { width, height, theme, measure }: Canvas,
): { height: number; graphic: object[] } {
  const texts = annotations.slice(0, MOST_NOTES).map(({ place, text }, i) => `${letterOf(i)}  ${labels[place] ?? ''}: ${text}`);
  if (annotations.length > MOST_NOTES) texts.push(`and ${annotations.length - MOST_NOTES} more`);
  const top = height - texts.length * LINE;
  return {
    height: texts.length * LINE,
    graphic: texts.map((text, i) => ({
      type: 'text',
      silent: true,
      x: 4,
      y: top + i * LINE + LINE / 2,
      style: { text: fit(text, width - 8, 12, measure), fill: theme.text2, fontSize: 12, verticalAlign: 'middle' },
    })),
  };
}
