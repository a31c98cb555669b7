import type { Buckets, Span } from '../../buckets.js';
import type { SeriesMath } from '../../math.js';
import type { TrendsQuery } from '../../query.js';
import type { Fragment } from '../../sql/fragment.js';
import { isUnique } from './aggregate.js';
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

/** For each series of a query its numbers: once, or for each value of the breakdown. */
export interface Found {
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
