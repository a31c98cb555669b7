import type { Insight } from '../insight.js';
import type { Mark } from '../kinds/marks.js';
import { fit } from '../text/measure.js';
import { written } from '../text/number-style.js';
import { colorOf } from '../theme/series-color.js';
import { note } from '../theme/theme.js';
import { annotationMarks, annotationNotes } from './annotations.js';
import { categoryAxisOf } from './category-axis.js';
import type { Canvas, ChartOption } from './chart-option.js';
import { endLabelsOf } from './end-labels.js';
import { goalSeries } from './goal-lines.js';
import { legendOf } from './legend.js';
import { lineOf, opacityOf, styleOf } from './series-marks.js';
import { shapeOf, sharesOf } from './series-shape.js';
import { hasPlaceByPowers, isByPowers, shareOfAxis, valueAxesOf } from './value-axis.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

/** Series with a color of their own; the others are gray and share an entry of the legend. */
const MOST_NAMED = 8;
/** Pixels around the plot. */
const PAD = 8;
const NOTE = 20;

/** ECharts options of lines, areas and bars over time, with an invisible mark for the title of each bucket. */
export function seriesOption(insight: SeriesInsight, canvas: Canvas): ChartOption & { titles: Mark[] } {
  const { width, height, theme, measure } = canvas;
  const { series, labels, isShare = false, hasValues = false, note: said, annotations = [] } = insight;
  const goals = (insight.goals ?? []).filter(({ value }) => !isByPowers(insight, 0) || hasPlaceByPowers(value));
  const isBar = series.some((one) => shapeOf(one, insight) === 'bar');
  const hasGap = isBar || labels.length === 1;

  const ends = endLabelsOf(insight, canvas);
  const noteHeight = said ? NOTE : 0;
  const legend = legendOf(ends ? [] : entriesOf(insight, theme), canvas, noteHeight);
  const notes = annotationNotes(insight, canvas);
  const top =
    noteHeight + (legend.height > 0 ? legend.height : PAD) + (annotations.length > 0 ? NOTE : 0) + (hasValues ? 12 : 0) + 4;
  const axes = valueAxesOf(insight, canvas, height - top - 2 * NOTE);
  const [first] = axes;
  const left = (first?.width ?? 0) + 4;
  const others = axes.slice(1).reduce((sum, axis) => sum + axis.width + PAD, 0);
  const beside = Math.max(PAD, others, ends?.width ?? 0);
  const draft = categoryAxisOf(insight, canvas, { width: width - left - beside, hasGap });
  const right = Math.max(beside, Math.ceil(draft.overhang) + 2);
  const below = categoryAxisOf(insight, canvas, { width: width - left - right, hasGap });
  const bottom = below.height + notes.height + 4;

  const plot = { left, top, width: Math.max(1, width - left - right), height: Math.max(1, height - top - bottom) };
  const shown = isShare ? sharesOf(series) : series.map(({ data }) => data);
  const yOf = (index: number): number => {
    const axis = axes[series[index]?.axis ?? 0];
    const value = shown[index]?.at(-1) ?? 0;
    return plot.top + plot.height * (1 - (axis ? shareOfAxis(axis, value) : 0));
  };
  const xOf = (place: number): number =>
    plot.left + plot.width * (hasGap ? (place + 0.5) / Math.max(1, labels.length) : place / Math.max(1, labels.length - 1));
  let offset = 0;
  return {
    grid: { left, right, top, bottom, outerBoundsMode: 'none' },
    xAxis: below.option,
    yAxis: axes.map((axis, i) => {
      const position = { position: i === 0 ? 'left' : 'right', offset };
      if (i > 0) offset += axis.width + PAD;
      return { ...axis.option, ...position };
    }),
    graphic: [
      ...legend.graphic,
      ...(said ? [note(fit(said, width - 2 * PAD, 12, measure), 4, 10, theme.muted)] : []),
      ...(ends?.graphic(plot.left + plot.width, yOf, plot.top, plot.top + plot.height) ?? []),
      ...annotationMarks(insight, canvas, xOf, plot),
      ...notes.graphic,
    ],
    series: [
      ...series.flatMap((one, i) => lineOf(one, i, shown[i] ?? [], insight, canvas)),
      ...goalSeries(goals, 'y', { places: labels.length, highest: 0 }, canvas),
    ],
    titles: titlesOf(insight, theme, xOf, plot),
  };
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
  return rest > 0 ? [...named, { name: `${rest} ${rest === 1 ? 'other' : 'others'}`, color: theme.other }] : named;
}

/** Buckets narrower than this share a title, pixels. */
const NARROWEST = 4;
/** Lines of a title at most. */
const MOST_LINES = 8;

/** An invisible rectangle for each bucket, whose title has all its numbers in words. */
function titlesOf(
  insight: SeriesInsight,
  theme: Canvas['theme'],
  xOf: (place: number) => number,
  plot: { left: number; top: number; width: number; height: number },
): Mark[] {
  const { labels, series } = insight;
  const pixels = plot.width / Math.max(1, labels.length);
  if (pixels < NARROWEST) return [];
  return labels.map((label, place) => {
    const [from, to] = [xOf(place) - pixels / 2, xOf(place) + pixels / 2];
    const lines = series.slice(0, MOST_LINES).map((one) => {
      const value = one.data[place];
      return value === undefined ? [] : [`${one.label}: ${written(value, styleOf(one, insight))}`];
    });
    const rest = series.length > MOST_LINES ? [`and ${series.length - MOST_LINES} more`] : [];
    const x = Math.max(plot.left, from);
    return {
      kind: 'rect',
      x,
      y: plot.top,
      width: Math.min(plot.left + plot.width, to) - x,
      height: plot.height,
      fill: theme.card,
      fillOpacity: 0,
      title: [label, ...lines.flat(), ...rest].join('\n'),
    };
  });
}
