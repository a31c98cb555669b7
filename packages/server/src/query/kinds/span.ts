import { ApiError } from '../../kernel/errors.js';
import { type Buckets, bucketsOf, type Interval, MAX_BUCKETS, type Span, spanBefore, spanOf } from '../buckets.js';
import type { InsightScope } from '../query.js';
import { sql } from '../sql/fragment.js';
import { selectFromEvents } from '../sql/source.js';
import type { Execute, KindContext } from './kind.js';

/** The time that an insight is about; `all` begins with the project's first event. */
export async function spanFor(scope: InsightScope, interval: Interval, context: KindContext, execute: Execute): Promise<Span> {
  const earliest = scope.dateFrom === 'all' ? await earliestEvent(context, execute) : null;
  return spanOf(scope, interval, context.moment, earliest);
}

/** The time with which an insight of a time compares it. */
export function timeBefore(
  span: Span,
  query: InsightScope & { interval: Interval; compare: 'previous' | { back: string } | null },
  { moment }: KindContext,
): Span {
  const { compare } = query;
  return spanBefore(span, query, compare === null || compare === 'previous' ? null : compare.back, moment);
}

/** Cuts a span at the intervals of the project's time zone. @throws ApiError invalid_input when there are too many */
export function bucketsFor(span: Span, interval: Interval, { moment, weekStart }: KindContext): Buckets {
  const buckets = bucketsOf(span, interval, moment.timezone, weekStart);
  if (buckets) return buckets;
  throw new ApiError('invalid_input', `This range has more than ${MAX_BUCKETS} intervals.`, 'query__interval');
}

async function earliestEvent({ projectId }: KindContext, execute: Execute): Promise<number | null> {
  const select = [sql`count() as events`, sql`toUnixTimestamp64Milli(min(e.timestamp)) as first`];
  const [row] = await execute<{ events: number; first: number }>(selectFromEvents({ projectId, select, where: [] }));
  return row && row.events > 0 ? row.first : null;
}
