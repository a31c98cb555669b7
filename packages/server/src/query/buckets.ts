import { type Moment, resolveDate, resolveInstant, shift, startOf, type Unit } from './dates.js';
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

/** The time before a span: of the same length by the clock on the wall, or as long ago as `back` (`-1m`) says. */
export function spanBefore({ from, to }: Span, back: string | null, { timezone }: Moment): Span {
  const [low, high] = [toLocal(from, timezone), toLocal(to, timezone)];
  const [, count = '0', unit = 'd'] = back === null ? [] : (/^-(\d+)([hdwmqy])$/.exec(back) ?? []);
  const earlier = (local: number) => (back === null ? local - (high - low) : shift(local, unit as Unit, -Number(count)));
  return { from: fromLocal(earlier(low), timezone), to: fromLocal(earlier(high), timezone) };
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

/** What a date range asks for: `-7d` to the end of today where nothing is said; `all` begins at `earliest`. */
export function spanOf(
  { dateFrom, dateTo, explicitDate }: DateRange,
  interval: Interval,
  moment: Moment,
  earliest: number | null,
): Span {
  if (explicitDate) {
    const from = dateFrom === 'all' ? earliest : resolveInstant(dateFrom ?? '-7d', moment);
    return { from: from ?? moment.now, to: (dateTo === null ? null : resolveInstant(dateTo, moment)) ?? moment.now };
  }
  const from = dateFrom === 'all' ? earliest : resolveDate(dateFrom ?? '-7d', moment)?.instant;
  const end = dateTo ? resolveDate(dateTo, moment) : null;
  return { from: from ?? moment.now, to: end ? (end.end ?? end.instant + 1) : endOfNow(interval, moment) };
}

/** Events of clocks that run ahead still count today. */
function endOfNow(interval: Interval, { now, timezone }: Moment): number {
  if (interval === 'hour') return now + HOUR - (toLocal(now, timezone) % HOUR);
  return fromLocal(shift(startOf(toLocal(now, timezone), 'd'), 'd', 1), timezone);
}
