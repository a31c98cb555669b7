import type { Buckets, Span } from '../../buckets.js';
import type { SeriesMath } from '../../series-schema.js';
import type { Fragment } from '../../sql/fragment.js';
import type { KindContext } from '../kind.js';
import { bucketsFor } from '../span.js';
import { isUnique, mathForInterval } from './aggregate.js';
import type { Numbers } from './line.js';
import type { NumbersPlan } from './numbers-sql.js';
import type { TrendsQuery } from './trends-schema.js';

/** A span and its intervals. */
export interface Time {
  span: Span;
  buckets: Buckets;
}

/** The current range, and the one to compare it with. */
export interface Times {
  current: Time;
  previous: Time | null;
}

/** The intervals of a span; for a total, the span is one interval. */
export function timeOf(query: TrendsQuery, span: Span, context: KindContext): Time {
  if (!query.trends.isTotal) return { span, buckets: bucketsFor(span, query.interval, context) };
  const isEmpty = span.from >= span.to;
  return { span, buckets: { starts: isEmpty ? [] : [span.from], ends: isEmpty ? [] : [span.to], days: [], labels: [] } };
}

/** Replaces each math of a query by {@link mathForInterval}. */
export const withIntervalMath = (query: TrendsQuery): TrendsQuery => ({
  ...query,
  series: query.series.map((one) => ({ ...one, math: mathForInterval(one.math, query) })),
});

/** The numbers of each series: one list, or one for each breakdown value. */
export interface SeriesNumbers {
  current: Numbers[][];
  previous: Numbers[][];
}

/** The plan for one series. */
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

/** In running totals, unique counts count everybody once. */
export const isOnce = ({ trends }: TrendsQuery, math: SeriesMath): boolean => trends.cumulative && isUnique(math);
