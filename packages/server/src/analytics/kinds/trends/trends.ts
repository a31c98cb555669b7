import { createTurns } from '../../../kernel/turns.js';
import type { Buckets } from '../../buckets.js';
import type { SeriesMath } from '../../series-schema.js';
import { breakdownFilters } from '../breakdown.js';
import { type Execute, type Kind, type KindContext, LIMIT_FIELD, requireNumbers, scaledBy, seriesFilters } from '../kind.js';
import { comparedSpans } from '../span.js';
import { countParts, evaluate } from './formula.js';
import { actionOf, byWeight, type LineSubject, line, type Numbers, shaped, type TrendsSeries } from './line.js';
import { type SeriesNumbers, type Time, timeOf } from './plan.js';
import { seriesNumbers } from './series-numbers.js';
import type { TrendsQuery } from './trends-schema.js';

export interface TrendsResult {
  results: TrendsSeries[];
  hasMore: false;
}

export const TRENDS: Kind<TrendsQuery, TrendsResult> = {
  filters: ({ properties, series, breakdown }) => ({
    properties,
    ...seriesFilters(series),
    ...breakdownFilters(breakdown),
  }),
  run: runTrends,
};

async function runTrends(query: TrendsQuery, context: KindContext, execute: Execute): Promise<TrendsResult> {
  if (!query.trends.isNumber || !query.breakdown) return { results: await linesOf(query, context, execute), hasMore: false };
  const [results, wholes] = await Promise.all([
    linesOf(query, context, execute),
    linesOf({ ...query, breakdown: null }, context, execute),
  ]);
  return { results: withWholes(results, wholes), hasMore: false };
}

/** Gives the first line of each series and range the numbers of all events: those of its breakdown values may not add up to them. */
function withWholes(results: readonly TrendsSeries[], wholes: readonly TrendsSeries[]): TrendsSeries[] {
  const isSame = (one: TrendsSeries, other: TrendsSeries) =>
    one.order === other.order && one.compare_label === other.compare_label;
  return results.map((one) => {
    const whole = results.find((other) => isSame(one, other)) === one && wholes.find((other) => isSame(one, other));
    if (!whole) return one;
    const { aggregated_value, sparkline } = whole;
    return {
      ...one,
      whole: { ...(aggregated_value === undefined ? {} : { aggregated_value }), ...(sparkline ? { sparkline } : {}) },
    };
  });
}

async function linesOf(query: TrendsQuery, context: KindContext, execute: Execute): Promise<TrendsSeries[]> {
  const spans = await comparedSpans({ ...query, isTotal: query.trends.isTotal }, context, execute);
  const current = timeOf(query, spans.current, context);
  const { buckets } = current;
  const previous = spans.previous && { ...timeOf(query, spans.previous, context), points: null };
  requireBounded(query, buckets);
  const times = { current, previous };
  const found = buckets.starts.length > 0 ? await seriesNumbers(query, times, context, execute) : emptyNumbers(query);
  return [
    ...(await lines(query, found.current, current, previous ? 'current' : null, context)),
    ...(previous ? await lines(query, found.previous, previous, 'previous', context) : []),
  ];
}

function requireBounded({ breakdown, series, trends, compare }: TrendsQuery, { starts }: Buckets): void {
  const lines = Math.max(series.length, trends.formulas.length) * (breakdown ? breakdown.limit + 1 : 1) * (compare ? 2 : 1);
  requireNumbers(lines * starts.length, breakdown ? LIMIT_FIELD : 'query__interval');
}

function emptyNumbers({ series, breakdown }: TrendsQuery): SeriesNumbers {
  const none = series.map(() => (breakdown ? [] : [{ keys: [], data: [] }]));
  return { current: none, previous: none };
}

/** Operations on numbers before other work gets a turn: about 5 ms. */
const OPERATIONS_PER_TURN = 500_000;

async function lines(
  query: TrendsQuery,
  found: readonly Numbers[][],
  time: Time,
  compare: LineSubject['compare'],
  context: KindContext,
): Promise<TrendsSeries[]> {
  const { series, breakdown, trends } = query;
  const turns = createTurns(context.scheduler, OPERATIONS_PER_TURN);
  const raw: Numbers[][] = [];
  for (const [index, all] of found.entries()) {
    const scale = scaleOf(series[index]?.math, query);
    const own: Numbers[] = [];
    for (const { keys, data, points } of all) {
      own.push({ keys, data: shaped(data.map(scale), trends), ...(points ? { points: points.map(scale) } : {}) });
      if (turns.isOver(data.length * (2 + trends.smoothing))) await turns.next();
    }
    raw.push(own);
  }
  if (trends.formulas.length === 0) {
    return series.flatMap((one, index) => {
      const action = actionOf(one, index, context);
      const name = action.custom_name ?? action.name;
      const subject = { action, order: index, name, isOneOfSeveral: series.length > 1, breakdown, compare };
      return byWeight(raw[index] ?? []).map((numbers) => line(subject, numbers, time, trends, context));
    });
  }
  const points = raw.flat().map((one) => one.points ?? []);
  const results: TrendsSeries[] = [];
  for (const [order, { text, customName, expression }] of trends.formulas.entries()) {
    const name = customName ?? `Formula (${text})`;
    const subject = { action: null, order, name, isOneOfSeveral: trends.formulas.length > 1, breakdown, compare };
    const parts = countParts(expression);
    const computed: Numbers[] = [];
    for (const { keys, data } of byKeys(raw)) {
      const places = time.buckets.starts.length;
      computed.push({
        keys,
        data: evaluate(expression, data, places),
        ...(time.points ? { points: evaluate(expression, points, time.points.starts.length) } : {}),
      });
      if (turns.isOver(places * (2 + parts))) await turns.next();
    }
    results.push(...byWeight(computed).map((numbers) => line(subject, numbers, time, trends, context)));
  }
  return results;
}

/** The numbers of all series for each of the keys that any has. */
function byKeys(found: readonly Numbers[][]): { keys: Numbers['keys']; data: number[][] }[] {
  const all = new Map<string, { keys: Numbers['keys']; data: number[][] }>();
  for (const [index, numbers] of found.entries()) {
    for (const { keys, data } of numbers) {
      const name = JSON.stringify(keys);
      const entry = all.get(name) ?? { keys, data: found.map(() => []) };
      entry.data[index] = data;
      all.set(name, entry);
    }
  }
  return [...all.values()];
}

/** What a number of a sample stands for: counts and sums grow with the number of persons, means and the like do not. */
function scaleOf(math: SeriesMath | undefined, query: TrendsQuery): (value: number) => number {
  const isSum = math?.kind === 'sum' || (math?.kind === 'session_duration' && math.statistic === 'sum');
  if (isSum) return (value) => value / query.samplingFactor;
  const isCount = math && !('property' in math) && !('statistic' in math) && math.kind !== 'hogql';
  return isCount ? scaledBy(query) : (value) => value;
}
