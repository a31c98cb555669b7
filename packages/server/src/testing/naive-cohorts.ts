import type { Operator } from '../analytics/filter.js';
import type { EventRow } from '../ports/events.js';
import { flagFilter } from './flag-filter.js';

/*
 * Conditions on what people did, computed as plainly as possible: what the engine's answers are compared with.
 */

/** A condition as it is sent. */
export interface NaiveBehavior {
  value: string;
  key: string | null;
  operator?: string;
  operator_value?: number;
  time_value?: number;
  time_interval?: string;
  explicit_datetime?: string;
  explicit_datetime_to?: string;
  total_periods?: number;
  min_periods?: number;
  seq_time_value?: number;
  seq_time_interval?: string;
  event_filters?: { key: string; operator: Operator; value: string[] }[];
  negation?: boolean;
}

/** Whether it holds of somebody who did `rows`, in any order. */
export function naiveBehaved(behavior: NaiveBehavior, rows: readonly EventRow[], now: number, zone: string): boolean {
  const times = rows
    .filter((row) => behavior.key === null || row.event === behavior.key)
    .filter((row) =>
      (behavior.event_filters ?? []).every(({ key, operator, value }) =>
        flagFilter({ operator, value, now })(row.properties[key]),
      ),
    )
    .map((row) => row.timestamp)
    .filter((time) => time <= now);
  return did(behavior, times, now, zone) !== (behavior.negation ?? false);
}

function did(behavior: NaiveBehavior, times: readonly number[], now: number, zone: string): boolean {
  const back = (count: number, unit: string | undefined) => (count === 0 ? now : ago(now, count, unit ?? '', zone));
  const between = (from: number, to: number) => times.filter((time) => time > from && time <= to).length;
  const { time_value: count = 0, time_interval: unit, seq_time_value: recently = 0, seq_time_interval: recentUnit } = behavior;
  const isEnough = (number: number) => compare(number, behavior.operator ?? 'gte', behavior.operator_value ?? 1);
  if (behavior.value === 'performed_event_regularly') {
    const periods = Array.from({ length: behavior.total_periods ?? 0 }, (_, index) =>
      between(back(count * (index + 1), unit), back(count * index, unit)),
    );
    return periods.filter(isEnough).length >= (behavior.min_periods ?? 0);
  }
  if (behavior.value === 'stopped_performing_event') {
    const recent = back(recently, recentUnit);
    return between(back(count, unit), recent) > 0 && between(recent, now) === 0;
  }
  if (behavior.value === 'restarted_performing_event') {
    const [then, recent] = [back(count, unit), back(recently, recentUnit)];
    return between(-Infinity, then) > 0 && between(then, recent) === 0 && between(recent, now) > 0;
  }
  const [from = 0, to = 0] = behavior.explicit_datetime ? dates(behavior, now, zone) : [back(count, unit) + 1, now];
  const within = times.filter((time) => time >= from && time <= to);
  if (behavior.value === 'performed_event_first_time') return within.length > 0 && Math.min(...times) >= from;
  return behavior.value === 'performed_event' ? within.length > 0 : isEnough(within.length);
}

const compare = (number: number, operator: string, value: number): boolean =>
  ({ gte: number >= value, gt: number > value, lte: number <= value, lt: number < value })[operator] ?? number === value;

/** The first and the last millisecond between dates. */
function dates({ explicit_datetime: from = '', explicit_datetime_to: to }: NaiveBehavior, now: number, zone: string): number[] {
  const first = from === 'all' ? -Infinity : start(from, now, zone);
  if (!to) return [first, now];
  if (to.includes('T')) return [first, start(to, now, zone)];
  return [first, start(dayAfter(dayOf(to, now, zone)), now, zone) - 1];
}

const start = (date: string, now: number, zone: string): number =>
  date.includes('T') ? atWall(date, zone) : atWall(`${dayOf(date, now, zone)}T00:00`, zone);

/** `-3d` is the day that it was three days ago. */
const dayOf = (date: string, now: number, zone: string): string =>
  date.startsWith('-')
    ? wall(now, zone)
        .replace(/T.*/, '')
        .replace(/.*/, (day) => daysBefore(day, Number.parseInt(date.slice(1), 10)))
    : date;

const dayAfter = (day: string): string => daysBefore(day, -1);
const daysBefore = (day: string, count: number): string =>
  new Date(Date.parse(`${day}T00:00Z`) - count * DAY).toISOString().slice(0, 10);

const QUARTER = 900_000;
const HOUR = 4 * QUARTER;
const DAY = 24 * HOUR;
const clocks = new Map<string, Intl.DateTimeFormat>();

/** What a clock shows, to the minute. */
function wall(instant: number, timeZone: string): string {
  const clock = clocks.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  clocks.set(timeZone, clock);
  return clock.format(instant).replace(' ', 'T');
}

/** So long before, by the clock on the wall; what is shorter than a day is so long by any clock. */
function ago(now: number, count: number, unit: string, zone: string): number {
  if (unit === 'minute') return now - count * 60_000;
  if (unit === 'hour') return now - count * HOUR;
  const [day = '', time = ''] = wall(now, zone).split('T');
  const past = now % QUARTER;
  if (unit === 'day' || unit === 'week')
    return atWall(`${daysBefore(day, unit === 'day' ? count : count * 7)}T${time}`, zone) + past;
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const months = year * 12 + month - 1 - (unit === 'year' ? count * 12 : count);
  const last = new Date(Date.UTC(Math.floor(months / 12), (months % 12) + 1, 0)).getUTCDate();
  const earlier = new Date(Date.UTC(Math.floor(months / 12), months % 12, Math.min(date, last))).toISOString().slice(0, 10);
  return atWall(`${earlier}T${time}`, zone) + past;
}

/** When a clock shows a time first, found by trying; one that is skipped is a day after the one before. */
function atWall(time: string, zone: string): number {
  const quarter = `${time.slice(0, 14)}${String(Math.floor(Number(time.slice(14, 16)) / 15) * 15).padStart(2, '0')}`;
  const about = Date.parse(`${quarter}Z`);
  for (let at = about - 15 * HOUR; at <= about + 15 * HOUR; at += QUARTER) if (wall(at, zone) === quarter) return at;
  return atWall(`${daysBefore(time.slice(0, 10), 1)}${time.slice(10)}`, zone) + DAY;
}
