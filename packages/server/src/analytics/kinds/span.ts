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
import { resolveDate } from '../dates.js';
import type { Comparison, InsightScope } from '../insight-schema.js';
import { sql } from '../sql/fragment.js';
import { selectFromEvents } from '../sql/source.js';
import type { Execute, KindContext } from './kind.js';

/** Resolves the time span of an insight; `all` starts with the first event of the project. */
export async function spanFor(scope: InsightScope, interval: Interval, context: KindContext, execute: Execute): Promise<Span> {
  const earliest = scope.dateFrom === 'all' ? await earliestEvent(context, execute) : null;
  return spanOf(scope, interval, context.moment, earliest);
}

/** The span of an insight, and the span it is compared with. */
export interface ComparedSpans {
  current: Span;
  previous: Span | null;
}

/** An insight that supports comparison. */
interface ComparedQuery extends InsightScope {
  interval: Interval;
  compare: Comparison;
}

/**
 * Resolves the spans of trends and stickiness. With months as interval, spans start with a whole month, except for exact dates
 * (`explicitDate`) and totals (`isTotal`).
 */
export async function comparedSpans(
  query: ComparedQuery & { isTotal?: boolean },
  context: KindContext,
  execute: Execute,
): Promise<ComparedSpans> {
  const { interval, compare, explicitDate, isTotal = false } = query;
  const ownSpan = await spanFor(query, interval, context, execute);
  const isWhole = interval === 'month' && !explicitDate && !isTotal;
  const begun = (span: Span): Span =>
    isWhole ? { ...span, from: wholeIntervals(span, interval, context.moment, context.weekStart).from } : span;
  const back = compare === null || compare === 'previous' ? null : compare.back;
  return { current: begun(ownSpan), previous: compare && begun(spanBefore(ownSpan, query, back, context.moment)) };
}

/** Resolves the span of a lifecycle: whole intervals, except for exact dates. */
export async function wholeSpan(
  query: InsightScope & { interval: Interval },
  context: KindContext,
  execute: Execute,
): Promise<Span> {
  const span = await spanFor(query, query.interval, context, execute);
  return query.explicitDate ? span : wholeIntervals(span, query.interval, context.moment, context.weekStart);
}

/** Cuts a span into intervals in the project's time zone. @throws ApiError invalid_input if there are too many */
export function bucketsFor(span: Span, interval: Interval, { moment, weekStart }: KindContext): Buckets {
  const buckets = bucketsOf(span, interval, moment.zone, weekStart);
  if (buckets) return buckets;
  throw new ApiError('invalid_input', `This range has more than ${MAX_BUCKETS} intervals.`, 'query__interval');
}

async function earliestEvent({ projectId }: KindContext, execute: Execute): Promise<number | null> {
  const select = [sql`count() as events`, sql`toUnixTimestamp64Milli(min(e.timestamp)) as first`];
  const [row] = await execute<{ events: number; first: number }>(selectFromEvents({ projectId, select, where: [] }));
  return row && row.events > 0 ? row.first : null;
}

const SECOND = 1000;
const DAY = 86_400 * SECOND;

const LENGTHS = { second: SECOND, minute: 60 * SECOND, hour: 3600 * SECOND, day: DAY, week: 7 * DAY, month: 30 * DAY } as const;

type WindowUnit = keyof typeof LENGTHS;
export const WINDOW_UNITS: readonly WindowUnit[] = ['second', 'minute', 'hour', 'day', 'week', 'month'];

/** Maximum conversion window. */
export const MAX_WINDOW_DAYS = 3650;

/** Milliseconds; a month has 30 days. */
export const windowOf = (count: number, unit: WindowUnit): number => count * LENGTHS[unit];

/** Index of the interval that `day` names, by its entry in `days` or any time in it. @throws ApiError invalid_input */
export function findInterval(day: string, { starts, ends, days }: Buckets, { moment }: KindContext, field = 'day'): number {
  const named = days.indexOf(day);
  const instant = named >= 0 ? null : (resolveDate(day, moment)?.instant ?? null);
  const found = instant === null ? named : starts.findIndex((start, at) => start <= instant && instant < (ends[at] ?? start));
  if (found >= 0) return found;
  throw new ApiError('invalid_input', 'There is no such interval in the range of the insight.', `query__source__${field}`);
}
