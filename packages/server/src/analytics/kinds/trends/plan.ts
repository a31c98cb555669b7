import type { Buckets, Interval, Span } from '../../buckets.js';
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
  /** Intervals of the sparkline of a total; null: it has none. */
  points: Buckets | null;
}

/** The current range, and the one to compare it with. */
export interface Times {
  current: Time;
  previous: Time | null;
}

/** The intervals of a span; for a total, the span is one interval. */
export function timeOf(query: TrendsQuery, span: Span, context: KindContext): Time {
  if (!query.trends.isTotal) return { span, buckets: bucketsFor(span, query.interval, context), points: null };
  const isEmpty = span.from >= span.to;
  const points = query.trends.isNumber && !query.breakdown && !isEmpty ? bucketsFor(span, naturalInterval(span), context) : null;
  return { span, buckets: { starts: isEmpty ? [] : [span.from], ends: isEmpty ? [] : [span.to], days: [], labels: [] }, points };
}

const DAY = 86_400_000;

/** The interval by which a range has some dozens of points. */
function naturalInterval({ from, to }: Span): Interval {
  const days = (to - from) / DAY;
  if (days <= 3) return 'hour';
  if (days <= 100) return 'day';
  return days <= 800 ? 'week' : 'month';
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
