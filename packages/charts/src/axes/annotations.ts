import type { Canvas } from '../canvas.js';
import type { Insight } from '../insight.js';
import { type Mark, round } from '../marks.js';
import { fit } from '../text/measure.js';
import type { Plot } from './plot.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

/** Letters of the alphabet. */
const MOST = 26;
const RADIUS = 8;
const LINE = 17;
/** Lines of notes at most. */
const MOST_NOTES = 4;

/** The letter of an annotation; those beyond the alphabet have no mark. */
export const letterOf = (index: number): string => String.fromCharCode(65 + index);

/** A dotted line with a letter for each annotation. */
export function annotationMarks({ annotations = [] }: SeriesInsight, { theme }: Canvas, { top, height, xOf }: Plot): Mark[] {
  return annotations.slice(0, MOST).flatMap(({ place }, i): Mark[] => {
    const [x, y] = [xOf(place), top - RADIUS - 3];
    return [
      { kind: 'path', d: `M${round(x)} ${top - 3}V${top + height}`, stroke: theme.muted, dash: [1, 3] },
      { kind: 'circle', x, y, radius: RADIUS, fill: theme.card, stroke: theme.border },
      { kind: 'text', text: letterOf(i), x, y, size: 11, anchor: 'middle', fill: theme.text2 },
    ];
  });
}

/** What the letters mean, in lines at the bottom of the chart. */
export function annotationNotes(
  { annotations = [], labels }: SeriesInsight,
  { width, height, theme, measure, hasNotes }: Canvas,
): { height: number; marks: Mark[] } {
  if (!hasNotes) return { height: 0, marks: [] };
  const texts = annotations.slice(0, MOST_NOTES).map(({ place, text }, i) => `${letterOf(i)}  ${labels[place] ?? ''}: ${text}`);
  if (annotations.length > MOST_NOTES) texts.push(`and ${annotations.length - MOST_NOTES} more`);
  const top = height - texts.length * LINE;
  return {
    height: texts.length * LINE,
    marks: texts.map((text, i) => ({
      kind: 'text',
      text: fit(text, width - 8, 12, measure),
      x: 4,
      y: top + i * LINE + LINE / 2,
      fill: theme.text2,
    })),
  };
}
