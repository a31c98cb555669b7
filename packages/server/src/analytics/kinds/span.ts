import { ApiError } from '../../kernel/errors.js';
import {
  type Buckets,
  bucketsOf,
  type Interval,
  MAX_BUCKETS,
  type Span,
  spanBefore,
  spanOf,
  wholeIntervals,
} from '../buckets.js';
import type { InsightScope } from '../query.js';
import { sql } from '../sql/fragment.js';
import { selectFromEvents } from '../sql/source.js';
import type { Execute, KindContext } from './kind.js';

/** The time that an insight is about; `all` begins with the project's first event. */
export async function spanFor(scope: InsightScope, interval: Interval, context: KindContext, execute: Execute): Promise<Span> {
  const earliest = scope.dateFrom === 'all' ? await earliestEvent(context, execute) : null;
  return spanOf(scope, interval, context.moment, earliest);
}

/** The time of an insight over time, and the one that it is compared with. */
export interface ComparedSpans {
  current: Span;
  previous: Span | null;
}

/** An insight over time that may be compared with the time before. */
interface ComparedQuery extends InsightScope {
  interval: Interval;
  compare: 'previous' | { back: string } | null;
}

/**
 * The times of trends and stickiness. By months the first month is whole, unless dates stand for instants or there is one number for the
 * whole time (`isTotal`).
 */
export async function comparedSpans(
  query: ComparedQuery & { isTotal?: boolean },
  context: KindContext,
  execute: Execute,
): Promise<ComparedSpans> {
  const { interval, compare, explicitDate, isTotal = false } = query;
  const asked = await spanFor(query, interval, context, execute);
  const isWhole = interval === 'month' && !explicitDate && !isTotal;
  const begun = (span: Span): Span =>
    isWhole ? { ...span, from: wholeIntervals(span, interval, context.moment, context.weekStart).from } : span;
  const back = compare === null || compare === 'previous' ? null : compare.back;
  return { current: begun(asked), previous: compare && begun(spanBefore(asked, query, back, context.moment)) };
}

/** The time of lifecycles: of whole intervals, unless dates stand for instants. */
export async function wholeSpan(
  query: InsightScope & { interval: Interval },
  context: KindContext,
  execute: Execute,
): Promise<Span> {
  const span = await spanFor(query, query.interval, context, execute);
  return query.explicitDate ? span : wholeIntervals(span, query.interval, context.moment, context.weekStart);
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
