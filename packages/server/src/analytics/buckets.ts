import { isRelative, type Moment, resolveDate, resolveInstant, shift, startOf, type Unit } from './dates.js';
import type { Zone } from './zone.js';

export const INTERVALS = ['minute', 'hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

/** A time span in epoch milliseconds; `to` is exclusive. */
export interface Span {
  from: number;
  to: number;
}

/** A time span cut into the minutes, hours, days, weeks or months of a time zone. */
export interface Buckets {
  /** Starts, ascending; the first may lie before the span. */
  starts: number[];
  /** Exclusive ends; the last may lie after the span. */
  ends: number[];
  /** `2024-01-31`, for hours and minutes `2024-01-31 14:00:00`: the local time at which each begins. */
  days: string[];
  /** Labels for people: `31-Jan-2024`, for hours and minutes `31-Jan 14:00`, for months `Jan 2024`, for weeks the days of the span. */
  labels: string[];
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS = { minute: 'd', hour: 'd', day: 'd', week: 'w', month: 'm' } as const;
/** Intervals of fixed length, counted from the start of their day. */
const STEPS: Partial<Record<Interval, number>> = { minute: MINUTE, hour: HOUR };
/** Default start of a range. */
const DEFAULT_FROM = '-7d';

/** Maximum number of buckets of a range. */
export const MAX_BUCKETS = 10_000;

/** Cuts a span into intervals. @returns null if there would be more than {@link MAX_BUCKETS} */
export function bucketsOf(span: Span, interval: Interval, zone: Zone, weekStart: 0 | 1 = 0): Buckets | null {
  const { from, to } = span;
  const starts: number[] = [];
  const ends: number[] = [];
  let local = startOf(zone.toLocal(from), UNITS[interval], weekStart);
  for (let start = zone.fromLocal(local); start < to; ) {
    local = shift(local, UNITS[interval], 1);
    const next = zone.fromLocal(local);
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
    days: starts.map((start) => dayText(new Date(zone.toLocal(start)), interval in STEPS)),
    labels: starts.map((start, index) => label(start, ends[index] ?? start)),
  };
}

/** Extends a span to whole intervals at both ends. */
export function wholeIntervals(span: Span, interval: Interval, { zone }: Pick<Moment, 'zone'>, weekStart: 0 | 1): Span {
  if (span.from >= span.to) return span;
  if (interval in STEPS) return span;
  const low = startOf(zone.toLocal(span.from), UNITS[interval], weekStart);
  const last = startOf(zone.toLocal(span.to - 1), UNITS[interval], weekStart);
  return { from: zone.fromLocal(low), to: zone.fromLocal(shift(last, UNITS[interval], 1)) };
}

/** The request that a span was resolved from. */
export interface SpanSource extends DateRange {
  interval: Interval;
}

/**
 * The comparison span: shifted back by `back` (`-1m`), else the span just before, of the same local duration. Aligned so that like is
 * compared with like: "last 7 days" (8 days with today) with the same weekdays, and hours with the same hours of earlier days.
 */
export function spanBefore({ from, to }: Span, source: SpanSource, back: string | null, { zone }: Moment): Span {
  const [low, high] = [zone.toLocal(from), zone.toLocal(to)];
  const [, count = '0', unit = 'd'] = back === null ? [] : (/^-(\d+)([hdwmqy])$/.exec(back) ?? []);
  const distance = distanceBefore({ from: low, to: high }, source);
  const earlier = (local: number) => (back === null ? local - distance : shift(local, unit as Unit, -Number(count)));
  return { from: zone.fromLocal(earlier(low)), to: zone.fromLocal(earlier(high)) };
}

/** Distance between a span and its comparison span, in milliseconds of local time. */
function distanceBefore({ from, to }: Span, { dateFrom, dateTo, explicitDate, interval }: SpanSource): number {
  const length = to - from;
  if (explicitDate) return length;
  if (interval === 'hour') return Math.max(DAY, startOf(from, 'd') - startOf(from - length, 'd'));
  const [, days] = /^-(\d+)d$/.exec(dateFrom ?? DEFAULT_FROM) ?? [];
  const isUntilNow = dateTo === null || !isRelative(dateTo);
  return interval === 'day' && days !== undefined && Number(days) % 7 === 0 && isUntilNow ? length - DAY : length;
}

/** The instant `days` days earlier, at the same local time. */
export const daysBefore = (instant: number, days: number, zone: Zone): number =>
  zone.fromLocal(shift(zone.toLocal(instant), 'd', -days));

function dayText(date: Date, hours: boolean): string {
  const iso = date.toISOString();
  return hours ? `${iso.slice(0, 10)} ${iso.slice(11, 19)}` : iso.slice(0, 10);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Labels of intervals. The label of a week has only its days within the span. */
function labeller({ from, to }: Span, interval: Interval, zone: Zone): (start: number, end: number) => string {
  const localDate = (instant: number) => new Date(zone.toLocal(instant));
  if (interval === 'week') return (start, end) => daysLabel(localDate(Math.max(start, from)), localDate(Math.min(end, to) - 1));
  return (start) => {
    const date = localDate(start);
    if (interval === 'month') return `${monthName(date)} ${date.getUTCFullYear()}`;
    return interval === 'day' ? fullDate(date) : `${shortDate(date)} ${date.toISOString().slice(11, 16)}`;
  };
}

/** The label of an interval's start, from its entry in `days`: the date, for hours and minutes with the time. */
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
  /** Use the exact times of the dates instead of whole days. */
  explicitDate: boolean;
}

/**
 * What a date range asks for: `-7d` to the end of today by default; `all` begins at `earliest`. Unless the dates are explicit,
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
  const { zone } = moment;
  const from = dateFrom === 'all' ? earliest : resolveDate(dateFrom ?? DEFAULT_FROM, moment)?.instant;
  const step = dateFrom !== null && isRelative(dateFrom) ? STEPS[interval] : undefined;
  const end = dateTo ? resolveDate(dateTo, moment) : null;
  return {
    from: step && from ? startOfStep(from, step, zone) : (from ?? moment.now),
    to: end?.end ?? endOf(end?.instant ?? moment.now, interval, zone),
  };
}

/** The end of the minute, the hour or the day that an instant is in. Events of clocks that run ahead still count today. */
function endOf(instant: number, interval: Interval, zone: Zone): number {
  const step = STEPS[interval];
  if (step) return startOfStep(instant, step, zone) + step;
  return zone.fromLocal(shift(startOf(zone.toLocal(instant), 'd'), 'd', 1));
}

const startOfStep = (instant: number, step: number, zone: Zone): number => instant - (zone.toLocal(instant) % step);
