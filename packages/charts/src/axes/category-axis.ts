import type { Canvas } from '../canvas.js';
import type { Insight } from '../insight.js';
import { type Mark, round } from '../marks.js';
import { fit, wrap } from '../text/measure.js';
import { AXIS_SIZE, calendarTicks } from './calendar-ticks.js';
import type { Plot } from './plot.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

/** Pixels between the plot and the labels. */
const MARGIN = 8;
const LINE = 15;
/** Pixels that a wrapped label needs at least. */
export const NARROW = 44;

/** The axis of times or categories below a plot. */
export interface CategoryAxis {
  /** Pixels of its labels and their margin. */
  height: number;
  /** Pixels by which its last label reaches over the end of the plot. */
  overhang: number;
  /** Its labels, and the ticks above those of times. */
  marks: (plot: Plot) => Mark[];
}

/** Builds the axis for a plot of this width. Times have ticks on the calendar; of categories each has its label. */
export function categoryAxisOf(
  insight: SeriesInsight,
  { theme, measure }: Canvas,
  { width, hasGap }: { width: number; hasGap: boolean },
): CategoryAxis {
  const { labels, days, over, interval, isCategorical = false } = insight;
  const half = hasGap ? width / Math.max(1, labels.length) / 2 : 0;
  const ticks = over === undefined || days.length > 0 ? calendarTicks(days, width, measure, interval) : null;
  if (ticks) {
    const last = ticks.at(-1);
    const lines = ticks.some(({ day }) => day !== null) ? 2 : 1;
    const isLast = last?.index === labels.length - 1;
    return {
      height: MARGIN + lines * LINE,
      overhang:
        last && isLast ? Math.max(0, Math.max(measure(last.text, AXIS_SIZE), measure(last.day ?? '', AXIS_SIZE)) / 2 - half) : 0,
      marks: ({ top, height, xOf }) =>
        ticks.flatMap(({ index, text, day }): Mark[] => {
          const [x, y] = [xOf(index), top + height];
          const isMidnight = day !== null && /^00(:00)?$/.test(text);
          return [
            // a thin line divides the days of hours
            { kind: 'path', d: isMidnight ? `M${round(x)} ${top}V${y + 4}` : `M${round(x)} ${y}v4`, stroke: theme.border },
            ...labelMarks([text], x, y, theme.muted),
            ...(day === null ? [] : labelMarks([day], x, y + LINE, theme.text2, true)),
          ];
        }),
    };
  }
  const shown = shortened(labels);
  const pixels = width / Math.max(1, labels.length - (hasGap ? 0 : 1));
  const widest = Math.max(0, ...shown.map((label) => measure(label, AXIS_SIZE)));
  const texts = widest + 8 <= pixels ? shown : shown.map((label) => wrap(label, pixels - 8, AXIS_SIZE, 3, measure).join('\n'));
  // steps of a scale may lack a label, categories never do
  const isWrapped = pixels >= NARROW || isCategorical;
  const step = isWrapped || widest + 8 <= pixels ? 1 : Math.max(1, Math.ceil((Math.min(widest, width / 4) + 10) / pixels));
  const cut = (label: string) => fit(label, width / 4, AXIS_SIZE, measure);
  const drawn = step > 1 ? shown.map(cut) : texts;
  const lines = Math.max(1, ...drawn.map((text) => text.split('\n').length));
  return {
    height: MARGIN + lines * LINE,
    overhang: Math.max(
      0,
      Math.max(0, ...drawn.flatMap((text) => text.split('\n').map((line) => measure(line, AXIS_SIZE)))) / 2 - half,
    ),
    marks: ({ top, height, xOf }) =>
      drawn.flatMap((text, index) =>
        index % step === 0 ? labelMarks(text.split('\n'), xOf(index), top + height, theme.muted) : [],
      ),
  };
}

/** Lines of a label below the bottom of a plot. */
const labelMarks = (lines: readonly string[], x: number, bottom: number, fill: string, isBold = false): Mark[] =>
  lines.map((text, i) => ({
    kind: 'text',
    text,
    x,
    y: bottom + MARGIN + (i + 0.5) * LINE,
    size: AXIS_SIZE,
    anchor: 'middle',
    fill,
    ...(isBold ? { isBold } : {}),
  }));

/** `1 day, 2 days, 3 days` as `1, 2, 3`: what they count stands in the title of the chart. */
function shortened(labels: readonly string[]): readonly string[] {
  const counts = labels.map((label) => /^(\d+) (hour|day|week|month)s?$/.exec(label)?.[1]);
  return counts.every((count) => count !== undefined) ? counts : labels;
}
