import { ApiError } from '../../../kernel/errors.js';
import { type Buckets, bucketsOf, type Span } from '../../buckets.js';
import { shift, startOf } from '../../dates.js';
import type { Execute, KindContext } from '../kind.js';
import { spanFor } from '../span.js';
import type { RetentionQuery } from './retention-schema.js';

const MAX_BEGINNINGS = 1000;
const HOUR = 3_600_000;
const UNITS = { hour: 'h', day: 'd', week: 'w', month: 'm' } as const;

export interface Periods {
  span: Span;
  buckets: Buckets;
}

/**
 * Resolves the cohort periods: from `date_from` on, by default as many as the table has columns; the last contains `date_to`. All periods
 * are whole, except the last one with exact dates.
 * @throws ApiError invalid_input if there are too many
 */
export async function periodsOf(query: RetentionQuery, context: KindContext, execute: Execute): Promise<Periods> {
  const { from, to } = await spanFor(query, query.period, context, execute);
  const first = query.dateFrom === null ? firstShown(query, to, context) : from;
  const found = bucketsOf({ from: first, to }, query.period, context.moment.zone, context.weekStart);
  const buckets = found && query.dateFrom === null ? lastOf(found, query.total) : found;
  if (!buckets || buckets.starts.length > MAX_BEGINNINGS) {
    throw new ApiError('invalid_input', `There may be ${MAX_BEGINNINGS} periods.`, 'query__dateRange__date_from');
  }
  const end = query.explicitDate ? to : (buckets.ends.at(-1) ?? to);
  return { span: { from: Math.min(buckets.starts[0] ?? to, to), to: end }, buckets };
}

/** An instant with at least `total` periods between it and `to`. */
function firstShown({ period, total }: RetentionQuery, to: number, { moment, weekStart }: KindContext): number {
  if (period === 'hour') return to - total * HOUR;
  const last = startOf(moment.zone.toLocal(to - 1), UNITS[period], weekStart);
  return moment.zone.fromLocal(shift(last, UNITS[period], 1 - total));
}

const lastOf = ({ starts, ends, days, labels }: Buckets, count: number): Buckets => ({
  starts: starts.slice(-count),
  ends: ends.slice(-count),
  days: days.slice(-count),
  labels: labels.slice(-count),
});
