import type { Canvas } from '../canvas.js';
import type { Insight } from '../insight.js';
import type { Mark } from '../marks.js';
import { beforeMore, fit } from '../text/measure.js';
import { written } from '../text/number-style.js';
import { colorOf } from '../theme/series-color.js';
import { annotationMarks, annotationNotes } from './annotations.js';
import { categoryAxisOf } from './category-axis.js';
import { endLabelsOf } from './end-labels.js';
import { goalMarks } from './goal-lines.js';
import { legendOf } from './legend.js';
import type { Plot } from './plot.js';
import { barMarks, columnsOf, lineMarks, opacityOf } from './series-marks.js';
import { shapeOf, sharesOf, spansOf } from './series-shape.js';
import { gridMarks, hasPlaceByPowers, isByPowers, valueAxesOf, valueAxisMarks, yOfAxis } from './value-axis.js';
import { styleOf, valueLabels } from './value-labels.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

/** Series with a color of their own; the others are gray and share an entry of the legend. */
const MOST_NAMED = 8;
/** Share of the width that the numbers of the third and fourth axis may take with the others. */
const MOST_NUMBERS = 0.55;
/** Pixels around the plot. */
const PAD = 8;
const NOTE = 20;

/** The marks of lines, areas and bars over time or categories, with an invisible mark for the title of each bucket. */
export function axesMarks(insight: SeriesInsight, canvas: Canvas): Mark[] {
  const { width, height, theme, measure } = canvas;
  const { series, labels, isShare = false, hasValues = false, note, annotations = [] } = insight;
  const goals = (insight.goals ?? []).filter(({ value }) => !isByPowers(insight, 0) || hasPlaceByPowers(value));
  const isBar = series.some((one) => shapeOf(one, insight) === 'bar');
  const hasGap = isBar || labels.length === 1;

  const ends = endLabelsOf(insight, canvas);
  const noteHeight = note ? NOTE : 0;
  const legend = legendOf(ends ? [] : entriesOf(insight, theme), canvas, noteHeight);
  const notes = annotationNotes(insight, canvas);
  const top =
    noteHeight + (legend.height > 0 ? legend.height : PAD) + (annotations.length > 0 ? NOTE : 0) + (hasValues ? 12 : 0) + 4;
  const spans = spansOf(insight, isShare ? sharesOf(series) : series.map(({ data }) => data));
  const axes = valueAxesOf(insight, spans, canvas, height - top - 2 * NOTE);
  const [first] = axes;
  const left = (first?.width ?? 0) + 4;
  // further axes have numbers as long as they leave the plot its space
  let others = 0;
  const beyond = axes.slice(1).filter((axis, i) => {
    const next = others + axis.width + PAD;
    const fits = i === 0 || left + next <= width * MOST_NUMBERS;
    if (fits) others = next;
    return fits;
  });
  const beside = Math.max(PAD, others, ends?.width ?? 0);
  const draft = categoryAxisOf(insight, canvas, { width: width - left - beside, hasGap });
  const right = Math.max(beside, Math.ceil(draft.overhang) + 2);
  const below = categoryAxisOf(insight, canvas, { width: width - left - right, hasGap });
  const bottom = below.height + notes.height + 4;

  const step = Math.max(1, width - left - right) / Math.max(1, labels.length - (hasGap ? 0 : 1));
  const plot: Plot = {
    left,
    top,
    width: Math.max(1, width - left - right),
    height: Math.max(1, height - top - bottom),
    step,
    xOf: (place) => left + step * (place + (hasGap ? 0.5 : 0)),
  };
  const placed = series.flatMap((one, index) => {
    const axis = axes[one.axis ?? 0];
    return axis ? [{ one, index, axis, spans: spans[index] ?? [] }] : [];
  });
  const columns = columnsOf(insight, plot);
  const endOf = (index: number): number => {
    const axis = axes[series[index]?.axis ?? 0];
    return axis ? yOfAxis(axis, plot, spans[index]?.at(-1)?.[1] ?? 0) : top;
  };
  let x = left + plot.width;
  return [
    { kind: 'rect', x: left, y: top, width: plot.width, height: plot.height, isPlot: true },
    ...(first ? gridMarks(first, plot, theme) : []),
    ...below.marks(plot),
    ...(first ? valueAxisMarks(first, plot, left - PAD, 'end') : []),
    ...beyond.flatMap((axis) => {
      x += PAD;
      const marks = valueAxisMarks(axis, plot, x, 'start');
      x += axis.width;
      return marks;
    }),
    ...placed.flatMap((one) => {
      const column = columns.get(one.one);
      return column ? barMarks(one, column, insight, canvas, plot) : [];
    }),
    // lines lie above the bars, the first on top
    ...placed.toReversed().flatMap((one) => (columns.has(one.one) ? [] : lineMarks(one, insight, canvas, plot))),
    ...(first ? goalMarks(goals, plot, (value) => yOfAxis(first, plot, value), canvas) : []),
    ...valueLabels(placed, columns, insight, canvas, plot),
    ...annotationMarks(insight, canvas, plot),
    ...legend.marks,
    ...(note ? [{ kind: 'text' as const, text: fit(note, width - 2 * PAD, 12, measure), x: 4, y: 10, fill: theme.muted }] : []),
    ...(ends?.marks(left + plot.width, endOf, top, top + plot.height) ?? []),
    ...notes.marks,
    ...titlesOf(insight, theme, plot),
  ];
}

/** The legend: series of the current period; those without a color of their own are counted. */
function entriesOf(insight: SeriesInsight, theme: Canvas['theme']) {
  const entries = insight.series.map((one, i) => ({
    one,
    name: one.label,
    color: colorOf(insight, i, theme),
    opacity: opacityOf(one),
  }));
  const current = entries.filter(({ one }) => !one.isPrevious);
  const named = current.length > MOST_NAMED ? current.filter(({ color }) => color !== theme.other) : current;
  const rest = current.length - named.length;
  return rest > 0 ? [...named, { name: `${rest} ${rest === 1 ? 'other' : 'others'}`, color: theme.other, count: rest }] : named;
}

/** Buckets narrower than this have a title only at some, pixels. */
const NARROWEST = 4;
/** Lines of a title at most. */
const MOST_LINES = 8;

/** An invisible rectangle for each bucket, whose title has all its numbers in words, the largest first. */
function titlesOf(insight: SeriesInsight, theme: Canvas['theme'], plot: Plot): Mark[] {
  const { labels, series, upcoming = 0 } = insight;
  const each = Math.max(1, Math.ceil(NARROWEST / plot.step));
  const half = (plot.step * each) / 2;
  return labels.flatMap((label, place): Mark[] => {
    if (place % each !== 0) return [];
    const [from, to] = [Math.max(plot.left, plot.xOf(place) - half), Math.min(plot.left + plot.width, plot.xOf(place) + half)];
    const found = series.flatMap((one) => {
      const value = one.data[place];
      // what has not begun has no number
      const isKnown = value !== undefined && (one.isPrevious || place < labels.length - upcoming);
      return isKnown ? [{ value, text: `${beforeMore(one.label)}: ${written(value, styleOf(one, insight))}` }] : [];
    });
    const lines = found.sort((a, b) => b.value - a.value).map(({ text }) => text);
    const rest = lines.length > MOST_LINES ? [`and ${lines.length - MOST_LINES} more`] : [];
    return [
      {
        kind: 'rect',
        x: from,
        y: plot.top,
        width: to - from,
        height: plot.height,
        fill: theme.card,
        fillOpacity: 0,
        title: [label, ...lines.slice(0, MOST_LINES), ...rest].join('\n'),
      },
    ];
  });
}
