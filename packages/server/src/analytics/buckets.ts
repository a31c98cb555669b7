import { isRelative, type Moment, resolveDate, resolveInstant, shift, startOf, type Unit } from './dates.js';
import { fromLocal, toLocal } from './zone.js';

export const INTERVALS = ['minute', 'hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

/** A span of time, epoch milliseconds, `to` not included. */
export interface Span {
  from: number;
  to: number;
}

/** Cuts a span at the minutes, hours, days, weeks or months of a time zone. */
export interface Buckets {
  /** When each begins, ascending; the first may begin before the span. */
  starts: number[];
  /** When each ends, that instant not included; the last may end after the span. */
  ends: number[];
  /** `2024-01-31`, for hours and minutes `2024-01-31 14:00:00`: the local time at which each begins. */
  days: string[];
  /** As people read them: `31-Jan-2024`, for hours and minutes `31-Jan 14:00`, for months `Jan 2024`, for weeks the days of the span. */
  labels: string[];
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS = { minute: 'd', hour: 'd', day: 'd', week: 'w', month: 'm' } as const;
/** Intervals that are equally long, counted from the beginning of their day. */
const STEPS: Partial<Record<Interval, number>> = { minute: MINUTE, hour: HOUR };
/** Where ranges begin by default. */
const DEFAULT_FROM = '-7d';

/** More than this many buckets is a mistake: `null` stands for it. */
export const MAX_BUCKETS = 10_000;

/** @returns null when there would be more than {@link MAX_BUCKETS} */
export function bucketsOf(span: Span, interval: Interval, zone: string, weekStart: 0 | 1 = 0): Buckets | null {
  const { from, to } = span;
  const starts: number[] = [];
  const ends: number[] = [];
  let local = startOf(toLocal(from, zone), UNITS[interval], weekStart);
  for (let start = fromLocal(local, zone); start < to; ) {
    local = shift(local, UNITS[interval], 1);
    const next = fromLocal(local, zone);
    // a day of a clock change has 23 or 25 hours
    const step = STEPS[interval] ?? next - start;
    for (let at = start; at < Math.min(next, to); at += step) {
      if (at + step <= from) continue;
      starts.push(at);
      ends.push(Math.min(at + step, next));
      if (starts.length > MAX_BUCKETS) return null;
    }
    start = next;
  }
  const label = labeller(span, interval, zone);
  return {
    starts,
    ends,
    days: starts.map((start) => dayText(new Date(toLocal(start, zone)), interval in STEPS)),
    labels: starts.map((start, index) => label(start, ends[index] ?? start)),
  };
}

/** A span whose first and last interval are whole. */
export function wholeIntervals(span: Span, interval: Interval, { timezone }: Pick<Moment, 'timezone'>, weekStart: 0 | 1): Span {
  if (span.from >= span.to) return span;
  if (interval in STEPS) return span;
  const low = startOf(toLocal(span.from, timezone), UNITS[interval], weekStart);
  const last = startOf(toLocal(span.to - 1, timezone), UNITS[interval], weekStart);
  return { from: fromLocal(low, timezone), to: fromLocal(shift(last, UNITS[interval], 1), timezone) };
}

/** What a span of time was asked for. */
export interface SpanSource extends DateRange {
  interval: Interval;
}

/**
 * The time with which a span is compared: as long ago as `back` (`-1m`) says, or else the time before it, of the same length by the
 * clock on the wall. Its days and hours stand beside those that are alike: the last 7, 14, … days, which today makes one longer, beside
 * the same weekdays, and hours beside the same hours of earlier days.
 */
export function spanBefore({ from, to }: Span, source: SpanSource, back: string | null, { timezone }: Moment): Span {
  const [low, high] = [toLocal(from, timezone), toLocal(to, timezone)];
  const [, count = '0', unit = 'd'] = back === null ? [] : (/^-(\d+)([hdwmqy])$/.exec(back) ?? []);
  const distance = distanceBefore({ from: low, to: high }, source);
  const earlier = (local: number) => (back === null ? local - distance : shift(local, unit as Unit, -Number(count)));
  return { from: fromLocal(earlier(low), timezone), to: fromLocal(earlier(high), timezone) };
}

/** How long before a span of local time the one before it is; milliseconds. */
function distanceBefore({ from, to }: Span, { dateFrom, dateTo, explicitDate, interval }: SpanSource): number {
  const length = to - from;
  if (explicitDate) return length;
  if (interval === 'hour') return Math.max(DAY, startOf(from, 'd') - startOf(from - length, 'd'));
  const [, days] = /^-(\d+)d$/.exec(dateFrom ?? DEFAULT_FROM) ?? [];
  const isUntilNow = dateTo === null || !isRelative(dateTo);
  return interval === 'day' && days !== undefined && Number(days) % 7 === 0 && isUntilNow ? length - DAY : length;
}

/** The instant so many days before another, at the same time by the clock on the wall. */
export const daysBefore = (instant: number, days: number, timezone: string): number =>
  fromLocal(shift(toLocal(instant, timezone), 'd', -days), timezone);

function dayText(date: Date, hours: boolean): string {
  const iso = date.toISOString();
  return hours ? `${iso.slice(0, 10)} ${iso.slice(11, 19)}` : iso.slice(0, 10);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** How intervals are called; of a week only the days that are within the span. */
function labeller({ from, to }: Span, interval: Interval, zone: string): (start: number, end: number) => string {
  const localDate = (instant: number) => new Date(toLocal(instant, zone));
  if (interval === 'week') return (start, end) => daysLabel(localDate(Math.max(start, from)), localDate(Math.min(end, to) - 1));
  return (start) => {
    const date = localDate(start);
    if (interval === 'month') return `${monthName(date)} ${date.getUTCFullYear()}`;
    return interval === 'day' ? fullDate(date) : `${shortDate(date)} ${date.toISOString().slice(11, 16)}`;
  };
}

/** The date, and for hours and minutes the time, at which an interval begins, of its entry in `days`. */
export function beginLabel(day: string): string {
  const date = new Date(`${day.slice(0, 10)}T00:00:00Z`);
  return day.length > 10 ? `${fullDate(date)} ${day.slice(11, 16)}` : fullDate(date);
}

const monthName = (date: Date): string => MONTHS[date.getUTCMonth()] ?? '';
const shortDate = (date: Date): string => `${date.getUTCDate()}-${monthName(date)}`;
const fullDate = (date: Date): string => `${shortDate(date)}-${date.getUTCFullYear()}`;

/** `4–7 Nov`; over the end of a month `29-Nov – 5-Dec`, and of a year with the years. */
function daysLabel(first: Date, last: Date): string {
  if (first.getUTCFullYear() !== last.getUTCFullYear()) return `${fullDate(first)} – ${fullDate(last)}`;
  if (first.getUTCMonth() !== last.getUTCMonth()) return `${shortDate(first)} – ${shortDate(last)}`;
  if (first.getUTCDate() === last.getUTCDate()) return fullDate(first);
  return `${first.getUTCDate()}–${last.getUTCDate()} ${monthName(last)}`;
}

/** Dates as an insight has them. */
export interface DateRange {
  dateFrom: string | null;
  dateTo: string | null;
  /** Dates stand for the instants that they say and not for whole days. */
  explicitDate: boolean;
}

/**
 * What a date range asks for: `-7d` to the end of today where nothing is said; `all` begins at `earliest`. Unless the dates are explicit,
 * hours and minutes are whole, and by longer intervals the day of `dateTo` is, whatever time of it is given.
 */
export function spanOf(
  { dateFrom, dateTo, explicitDate }: DateRange,
  interval: Interval,
  moment: Moment,
  earliest: number | null,
): Span {
  if (explicitDate) {
    const from = dateFrom === 'all' ? earliest : resolveInstant(dateFrom ?? DEFAULT_FROM, moment);
    return { from: from ?? moment.now, to: (dateTo === null ? null : resolveInstant(dateTo, moment)) ?? moment.now };
  }
  const { timezone } = moment;
  const from = dateFrom === 'all' ? earliest : resolveDate(dateFrom ?? DEFAULT_FROM, moment)?.instant;
  const step = dateFrom !== null && isRelative(dateFrom) ? STEPS[interval] : undefined;
  const end = dateTo ? resolveDate(dateTo, moment) : null;
  return {
    from: step && from ? startOfStep(from, step, timezone) : (from ?? moment.now),
    to: end?.end ?? endOf(end?.instant ?? moment.now, interval, timezone),
  };
}

/** The end of the minute, the hour or the day that an instant is in. Events of clocks that run ahead still count today. */
function endOf(instant: number, interval: Interval, timezone: string): number {
  const step = STEPS[interval];
  if (step) return startOfStep(instant, step, timezone) + step;
  return fromLocal(shift(startOf(toLocal(instant, timezone), 'd'), 'd', 1), timezone);
}

const startOfStep = (instant: number, step: number, timezone: string): number => instant - (toLocal(instant, timezone) % step);
