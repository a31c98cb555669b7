import { isRelative, type Moment, resolveDate, resolveInstant, shift, startOf, type Unit } from './dates.js';
import { fromLocal, toLocal } from './zone.js';

export const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

/** A span of time, epoch milliseconds, `to` not included. */
export interface Span {
  from: number;
  to: number;
}

/** Cuts a span at the hours, days, weeks or months of a time zone. */
export interface Buckets {
  /** When each begins, ascending; the first may begin before the span. */
  starts: number[];
  /** When each ends, that instant not included; the last may end after the span. */
  ends: number[];
  /** `2024-01-31`, for hours `2024-01-31 14:00:00`: the local time at which each begins. */
  days: string[];
  /** `31-Jan-2024`, for hours `31-Jan-2024 14:00`. */
  labels: string[];
}

const UNITS = { day: 'd', week: 'w', month: 'm' } as const;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Where ranges begin by default. */
const DEFAULT_FROM = '-7d';

/** More than this many buckets is a mistake: `null` stands for it. */
export const MAX_BUCKETS = 10_000;

/** @returns null when there would be more than {@link MAX_BUCKETS} */
export function bucketsOf({ from, to }: Span, interval: Interval, zone: string, weekStart: 0 | 1 = 0): Buckets | null {
  const starts: number[] = [];
  const ends: number[] = [];
  let local = startOf(toLocal(from, zone), interval === 'hour' ? 'd' : UNITS[interval], weekStart);
  for (let start = fromLocal(local, zone); start < to; ) {
    local = shift(local, interval === 'hour' ? 'd' : UNITS[interval], 1);
    const next = fromLocal(local, zone);
    // hours are counted from the beginning of their day: a day of a clock change has 23 or 25 of them
    const step = interval === 'hour' ? HOUR : next - start;
    for (let at = start; at < Math.min(next, to); at += step) {
      if (at + step <= from) continue;
      starts.push(at);
      ends.push(Math.min(at + step, next));
    }
    if (starts.length > MAX_BUCKETS) return null;
    start = next;
  }
  const locals = starts.map((start) => new Date(toLocal(start, zone)));
  return {
    starts,
    ends,
    days: locals.map((date) => dayText(date, interval === 'hour')),
    labels: locals.map((date) => labelText(date, interval === 'hour')),
  };
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

function labelText(date: Date, hours: boolean): string {
  const day = `${date.getUTCDate()}-${MONTHS[date.getUTCMonth()]}-${date.getUTCFullYear()}`;
  return hours ? `${day} ${date.toISOString().slice(11, 16)}` : day;
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
 * hours are whole, and by any other interval than hours the day of `dateTo` is, whatever time of it is given.
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
  const isHourly = interval === 'hour' && dateFrom !== null && isRelative(dateFrom);
  const end = dateTo ? resolveDate(dateTo, moment) : null;
  return {
    from: isHourly && from ? startOfHour(from, timezone) : (from ?? moment.now),
    to: end?.end ?? endOf(end?.instant ?? moment.now, interval, timezone),
  };
}

/** The end of the hour or of the day that an instant is in. Events of clocks that run ahead still count today. */
function endOf(instant: number, interval: Interval, timezone: string): number {
  if (interval === 'hour') return startOfHour(instant, timezone) + HOUR;
  return fromLocal(shift(startOf(toLocal(instant, timezone), 'd'), 'd', 1), timezone);
}

const startOfHour = (instant: number, timezone: string): number => instant - (toLocal(instant, timezone) % HOUR);
