import type { Buckets, Span } from '../../buckets.js';
import type { SeriesMath } from '../../math.js';
import type { TrendsQuery } from '../../query.js';
import type { Fragment } from '../../sql/fragment.js';
import type { KindContext } from '../kind.js';
import { bucketsFor } from '../span.js';
import { isUnique, mathForInterval } from './aggregate.js';
import type { Numbers } from './line.js';
import type { NumbersPlan } from './numbers-sql.js';

/** A span of time, and the intervals into which it is cut. */
export interface Time {
  span: Span;
  buckets: Buckets;
}

/** The present time, and the one to compare it with. */
export interface Times {
  current: Time;
  previous: Time | null;
}

/** A span with the intervals of a query, or as one for a single number. */
export function timeOf(query: TrendsQuery, span: Span, context: KindContext): Time {
  if (!query.trends.isTotal) return { span, buckets: bucketsFor(span, query.interval, context) };
  const isEmpty = span.from >= span.to;
  return { span, buckets: { starts: isEmpty ? [] : [span.from], ends: isEmpty ? [] : [span.to], days: [], labels: [] } };
}

/** A query with what each math counts by its interval. */
export const withIntervalMath = (query: TrendsQuery): TrendsQuery => ({
  ...query,
  series: query.series.map((one) => ({ ...one, math: mathForInterval(one.math, query) })),
});

/** For each series of a query its numbers: once, or for each value of the breakdown. */
export interface SeriesNumbers {
  current: Numbers[][];
  previous: Numbers[][];
}

/** What to ask for to get the numbers of one series. */
export const planOf = (
  query: TrendsQuery,
  series: TrendsQuery['series'][number],
  { span, buckets }: Time,
  { keys, where = [] }: { keys: readonly Fragment[]; where?: readonly Fragment[] },
): NumbersPlan => ({
  scope: query,
  series,
  span,
  buckets,
  keys,
  areOfPerson: query.breakdown?.by.type === 'cohorts',
  where,
  isOnce: isOnce(query, series.math),
});

/** Sums of all until then hold everybody once. */
export const isOnce = ({ trends }: TrendsQuery, math: SeriesMath): boolean => trends.cumulative && isUnique(math);
