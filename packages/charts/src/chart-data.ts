import { bucketText, momentOf, UNITS, unitOf } from './axes/calendar-ticks.js';
import { isStacked } from './axes/series-shape.js';
import { styleOf } from './axes/value-labels.js';
import type { Insight, Series } from './insight.js';
import { written } from './text/number-style.js';
import { colorOf, twinOf } from './theme/series-color.js';
import { THEMES } from './theme/theme.js';

type SeriesInsight = Extract<Insight, { kind: 'series' }>;

/** What the interactive layer reads of a chart over time; pages have it as JSON in an attribute. */
export interface ChartData {
  /** Times of the points: the ISO dates of days, and in words all that is longer, shorter or no time. */
  times: string[];
  /** Times of the points of the period before, in words and without the year of both; absent: there is none. */
  before?: string[];
  /** Points at the end that are not over. */
  unfinished: number;
  /** Points at the end that have not begun; they are among the unfinished. */
  upcoming: number;
  /** Whether points stand in the middle of bands, as bars do, not from edge to edge. */
  isBand: boolean;
  /** Whether series can be hidden on their own: those of a stack stand on each other. */
  canHide: boolean;
  series: ChartSeries[];
  /** The sums of the series of this period; absent: they are no parts of a whole. */
  total?: { now: Numbers; before?: Numbers };
}

interface Numbers {
  values: number[];
  texts: string[];
}

interface ChartSeries extends Numbers {
  name: string;
  color: string;
  isPrevious: boolean;
  /** Index of the series of the period before that it is compared with. */
  before?: number;
}

/** Points of all series at most: a page is for people, and larger charts have their table. */
const MAX_POINTS = 4_000;
const OVER_TIME: ReadonlySet<string> = new Set(['line', 'area', 'bar', 'stacked']);

/** The data of a chart over time; null: another kind, or too many points. */
export function chartData(insight: Insight): ChartData | null {
  if (insight.kind !== 'series' || !OVER_TIME.has(insight.display)) return null;
  const { labels, series, display, unfinished = 0, upcoming = 0 } = insight;
  if (labels.length === 0 || series.length === 0 || labels.length * series.length > MAX_POINTS) return null;
  const current = series.filter(({ isPrevious }) => !isPrevious);
  // each period has its own order of breakdown values
  const twins = new Map(series.map((one, i) => [one.isPrevious ? twinOf(one, series, current) : undefined, i]));
  const numbersOf = (one: Series, values: number[]): Numbers => ({
    values,
    // what has not begun has no number
    texts: values.slice(0, values.length - (one.isPrevious ? 0 : upcoming)).map((value) => written(value, styleOf(one, insight))),
  });
  const total = totalOf(insight, numbersOf);
  const before = timesBefore(insight);
  return {
    times: timesOf(insight),
    ...(before ? { before } : {}),
    unfinished,
    upcoming,
    isBand: labels.length === 1 || display === 'bar' || display === 'stacked' || series.some(({ shape }) => shape === 'bar'),
    canHide: display === 'line' || display === 'bar',
    series: series.map((one, i) => {
      const before = twins.get(one);
      return {
        name: one.label,
        color: colorOf(insight, i, THEMES.page),
        isPrevious: one.isPrevious,
        ...(before === undefined ? {} : { before }),
        ...numbersOf(one, one.data),
      };
    }),
    ...(total ? { total } : {}),
  };
}

/** The dates of days, whose weekday a reader wants to know; else the words of the labels. */
function timesOf({ labels, days, interval }: SeriesInsight): string[] {
  const moments = days.flatMap((day) => momentOf(day) ?? []);
  const isDaily = moments.length === labels.length && unitOf(moments) === 'day' && (interval ?? 'day') === 'day';
  return isDaily ? days : labels.map((label) => label.replace(/, so far$/, ''));
}

/** The times with which the points are compared: `18 Oct`, `18 Oct 2025`, `12 Oct to 18 Oct`. */
function timesBefore({ days, daysBefore = [], interval }: SeriesInsight): string[] | null {
  const moments = daysBefore.flatMap((day) => momentOf(day) ?? []);
  if (moments.length === 0 || moments.length < daysBefore.length) return null;
  const unit = (moments.length === 1 && UNITS.find((one) => one === interval)) || unitOf(moments);
  return moments.map((moment, i) => {
    const year = momentOf(days[i] ?? '')?.year;
    const text = bucketText(moment, unit);
    const years = text.match(/\b\d{4}\b/g) ?? [];
    return years.every((one) => Number(one) === year) ? text.replaceAll(/ \d{4}\b/g, '') : text;
  });
}

/** The sum of parts of a whole: of values of one dimension that add up, or of bars and areas that stand on each other. */
function totalOf(insight: SeriesInsight, numbersOf: (one: Series, values: number[]) => Numbers): ChartData['total'] {
  const current = insight.series.filter(({ isPrevious }) => !isPrevious);
  const [first] = current;
  const isWhole =
    first !== undefined &&
    current.length > 1 &&
    !insight.isShare &&
    insight.series.every(({ style, axis }) => style === first.style && axis === first.axis) &&
    current.every((one) => one.status === null && one.isAdditive && (one.breakdown !== null || isStacked(one, insight)));
  if (!isWhole) return undefined;
  const sumOf = (parts: readonly Series[]) =>
    insight.labels.map((_, at) => parts.reduce((sum, { data }) => sum + (data[at] ?? 0), 0));
  const previous = insight.series.filter(({ isPrevious }) => isPrevious);
  const [before] = previous;
  return { now: numbersOf(first, sumOf(current)), ...(before ? { before: numbersOf(before, sumOf(previous)) } : {}) };
}
