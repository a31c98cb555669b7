import type { Canvas } from '../canvas.js';
import type { Insight, Series } from '../insight.js';
import type { Mark } from '../marks.js';
import { BOLD, fitName, type Measure, nameParts } from '../text/measure.js';
import { wordColorOf } from '../theme/series-color.js';
import { shapeOf } from './series-shape.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

const SIZE = 12;
/** Pixels between two labels. */
const STEP = 15;
/** Pixels between the plot and the labels: the end of a line may be a circle. */
const GAP = 9;
const MOST_LINES = 6;
/** Maximal width of a label, pixels or a share of the chart's width: whichever is more. */
const WIDEST = 150;
const WIDEST_SHARE = 0.18;
/** The same for equal names that would be cut in less. */
const WIDEST_OF_EQUAL = 0.27;

/** The names of lines at their right ends. */
export interface EndLabels {
  /** Pixels right of the plot. */
  width: number;
  /** `yOf`: where a series ends, pixels; labels are moved so that none covers another. */
  marks: (right: number, yOf: (index: number) => number, top: number, bottom: number) => Mark[];
}

/** Null: the chart has a legend instead, because it has too many lines, bars or several axes, or names that would look equal when cut. */
export function endLabelsOf(insight: SeriesInsight, { width, height, theme, measure, hasLegend }: Canvas): EndLabels | null {
  const { series, axes = [{}] } = insight;
  const lines = series.flatMap((one, index) => (one.isPrevious ? [] : [{ one, index }]));
  const isDirect =
    hasLegend &&
    axes.length === 1 &&
    lines.length > 1 &&
    lines.length <= Math.min(MOST_LINES, Math.floor((height - 40) / STEP)) &&
    series.every((one) => shapeOf(one, insight) === 'line');
  if (!isDirect) return null;
  const room = Math.min(Math.max(WIDEST, width * WIDEST_SHARE), width * 0.3);
  const labelsIn = (most: number) => lines.map(({ one, index }) => ({ index, ...labelOf(one, most, measure) }));
  const narrow = labelsIn(room);
  // equal names take more of the width, or else stand in the legend
  const labels = hasPair(narrow, isCut) ? labelsIn(Math.max(room, width * WIDEST_OF_EQUAL)) : narrow;
  if (hasPair(labels, isSame)) return null;
  return {
    width: GAP + Math.ceil(Math.max(...labels.map(({ text }) => measure(text, SIZE * BOLD)))) + 4,
    marks: (right, yOf, top, bottom) => {
      const placed = labels.map((label) => ({ ...label, y: yOf(label.index) })).sort((a, b) => a.y - b.y);
      for (const [i, label] of placed.entries()) label.y = Math.max(label.y, (placed[i - 1]?.y ?? top - STEP) + STEP);
      for (let i = placed.length - 1, low = bottom; i >= 0; i--, low -= STEP) {
        const label = placed[i];
        if (label) label.y = Math.min(label.y, low);
      }
      return placed.map(({ index, text, y }) => ({
        kind: 'text',
        text,
        x: right + GAP,
        y,
        size: SIZE,
        isBold: true,
        fill: wordColorOf(insight, index, theme),
      }));
    },
  };
}

interface Label {
  full: string;
  text: string;
}

function labelOf({ label }: Series, room: number, measure: Measure): Label {
  const full = label || '(no name)';
  return { full, text: fitName(full, room, SIZE * BOLD, measure) };
}

/** Whether labels of the same name are cut, and differ only by what is left of it. */
const isCut = (a: Label, b: Label): boolean =>
  a.text === b.text || (nameParts(a.full).name === nameParts(b.full).name && (a.text !== a.full || b.text !== b.full));

/** Whether labels look equal, or do not show by what they differ. */
const isSame = (a: Label, b: Label): boolean => a.text === b.text || (isCut(a, b) && (isTorn(a) || isTorn(b)));

const isTorn = ({ full, text }: Label): boolean => !text.endsWith(nameParts(full).counted);

const hasPair = (labels: readonly Label[], test: (a: Label, b: Label) => boolean): boolean =>
  labels.some((a, i) => labels.slice(0, i).some((b) => a.full !== b.full && test(a, b)));
