import type { Json } from '../kernel/json.js';
import type { EventRow } from '../ports/events.js';
import type { SeededData } from './seeded-events.js';

/*
 * Trends computed as plainly as possible from rows in memory: what the engine's answers are compared with.
 */

export interface NaiveSeries {
  event: string | null;
  math?: string;
  math_property?: string;
  math_property_type?: string;
  math_group_type_index?: number;
  /** Only events of this browser. */
  browser?: string;
  /** Whether that is asked for as an expression. */
  isExpression?: boolean;
  /** The sum of `math_property` as an expression, for `hogql`. */
  math_hogql?: string;
}

export interface NaiveBucket {
  from: number;
  to: number;
}

/** The days, weeks, months or hours that begin before `to` and end after `from`, by a wall clock looked at hour by hour. */
export function naiveBuckets(from: number, to: number, interval: string, zone: string, weekStart: 0 | 1): NaiveBucket[] {
  const name = bucketNamer(interval, zone, weekStart);
  const buckets: (NaiveBucket & { name: string })[] = [];
  const step = 900_000;
  for (let at = from - 33 * 96 * step; at < to + 33 * 96 * step; at += step) {
    const own = name(at);
    const last = buckets.at(-1);
    if (last?.name === own) last.to = at + step;
    else buckets.push({ name: own, from: at, to: at + step });
  }
  return buckets.filter((bucket) => bucket.from < to && bucket.to > from).map((bucket) => ({ from: bucket.from, to: bucket.to }));
}

/**
 * The intervals of trends from one local midnight to another: only what is within these counts, but by months the first one is whole.
 */
export function naiveTrendBuckets(from: number, to: number, interval: string, zone: string, weekStart: 0 | 1 = 0): NaiveBucket[] {
  return naiveBuckets(from, to, interval, zone, weekStart).map((bucket) => ({
    from: interval === 'month' ? bucket.from : Math.max(bucket.from, from),
    to: Math.min(bucket.to, to),
  }));
}

/** One for each zone: making one takes longer than using it a hundred times. */
const clocks = new Map<string, Intl.DateTimeFormat>();

/** Of the wall clock in a zone, such as `2024-03-31 02:15`. */
function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  clocks.set(zone, made);
  return made;
}

function bucketNamer(interval: string, zone: string, weekStart: 0 | 1): (at: number) => string {
  const format = clockOf(zone);
  return (at) => {
    const text = format.format(at);
    // the hour that comes twice when clocks go back is two hours
    if (interval === 'hour') return `${text.slice(0, 13)} ${Date.parse(`${text.replace(' ', 'T')}Z`) - at}`;
    if (interval === 'day') return text.slice(0, 10);
    if (interval === 'month') return text.slice(0, 7);
    const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
    return new Date(day.getTime() - ((day.getUTCDay() - weekStart + 7) % 7) * 86_400_000).toISOString().slice(0, 10);
  };
}

/** What a line says of its numbers beside its series. */
export interface NaiveLine {
  interval: string;
  zone: string;
  /** Each number includes all earlier intervals, and counts an actor once. */
  cumulative: boolean;
}

const COUNTED_ONCE = ['dau', 'unique_group', 'unique_session'];

/** The numbers of one series in adjoining buckets. */
export function naiveNumbers(
  data: SeededData,
  series: NaiveSeries,
  buckets: readonly NaiveBucket[],
  { interval, zone, cumulative }: NaiveLine,
): number[] {
  const isOfInterval =
    (series.math === 'weekly_active' && interval === 'week') || (series.math === 'monthly_active' && interval === 'month');
  const own = isOfInterval ? { ...series, math: 'dau' } : series;
  const number = (bucket: NaiveBucket) => naiveNumber(data, own, bucket, zone, () => true);
  if (!cumulative) return buckets.map(number);
  const [first] = buckets;
  if (COUNTED_ONCE.includes(own.math ?? '')) return buckets.map(({ to }) => number({ from: first?.from ?? to, to }));
  let sum = 0;
  return buckets.map((bucket) => (sum += number(bucket)));
}

/** The number of one series in one bucket, of those events that `keep` lets through. */
export function naiveNumber(
  data: SeededData,
  series: NaiveSeries,
  bucket: NaiveBucket,
  zone: string,
  keep: (row: EventRow) => boolean,
): number {
  const math = series.math ?? 'total';
  const fits = (row: EventRow): boolean =>
    (series.event === null || row.event === series.event) &&
    (series.browser === undefined || row.properties['$browser'] === series.browser);
  const within = (from: number) =>
    data.events.filter((row) => row.timestamp >= from && row.timestamp < bucket.to && fits(row) && keep(row));
  const people = (rows: readonly EventRow[]): number => new Set(rows.map(data.personOf)).size;
  if (math === 'first_time_for_user' || math === 'first_matching_event_for_user') {
    const isCounted =
      math === 'first_time_for_user' ? (row: EventRow) => series.event === null || row.event === series.event : fits;
    return firstTimes(data, isCounted).filter((row) => isIn(row, bucket) && fits(row) && keep(row)).length;
  }
  if (math === 'weekly_active') return people(within(daysEarlier(bucket.to, 7, zone)));
  if (math === 'monthly_active') return people(within(daysEarlier(bucket.to, 30, zone)));
  const rows = within(bucket.from);
  if (math === 'total') return rows.length;
  if (math === 'dau') return people(rows);
  if (math === 'unique_session') return new Set(rows.flatMap(({ properties }) => textOf(properties['$session_id']) ?? [])).size;
  const group = (row: EventRow): string => row.group_0;
  if (math === 'unique_group') return new Set(rows.map(group).filter(Boolean)).size;
  if (math.endsWith('_count_per_actor')) {
    const isOfGroup = series.math_group_type_index !== undefined;
    const counts = new Map<string, number>();
    for (const row of rows) {
      const actor = isOfGroup ? group(row) : data.personOf(row);
      if (actor) counts.set(actor, (counts.get(actor) ?? 0) + 1);
    }
    return statistic(math.replace('_count_per_actor', ''), [...counts.values()]);
  }
  if (series.math_property === '$session_duration') return statistic(math, sessionLengths(data, rows));
  const values = rows.flatMap((row) => {
    const own = series.math_property_type === 'person_properties' ? data.personProperties(data.personOf(row)) : row.properties;
    return numberOf(own[series.math_property ?? '']) ?? [];
  });
  // the expression in use is a sum
  return statistic(math === 'hogql' ? 'sum' : math, values);
}

/** How long the sessions of some events are, each once, in seconds. */
function sessionLengths(data: SeededData, rows: readonly EventRow[]): number[] {
  const sessionOf = ({ properties }: EventRow) => textOf(properties['$session_id']);
  const sessions = new Set(rows.flatMap((row) => sessionOf(row) ?? []));
  return [...sessions].map((session) => {
    const times = data.events.flatMap((row) => (sessionOf(row) === session ? [Math.floor(row.timestamp / 1000)] : []));
    return Math.max(...times) - Math.min(...times);
  });
}

/** Each person's first event of those that count. */
function firstTimes(data: SeededData, isCounted: (row: EventRow) => boolean): EventRow[] {
  const firsts = new Map<string, EventRow>();
  for (const row of data.events) {
    if (!isCounted(row)) continue;
    const person = data.personOf(row);
    const known = firsts.get(person);
    if (!known || row.timestamp < known.timestamp || (row.timestamp === known.timestamp && row.uuid < known.uuid))
      firsts.set(person, row);
  }
  return [...firsts.values()];
}

const isIn = ({ timestamp }: EventRow, { from, to }: NaiveBucket): boolean => timestamp >= from && timestamp < to;

/** The same time of the day so many days before, found by trying; one that is skipped is when the clocks change. */
function daysEarlier(instant: number, days: number, zone: string): number {
  const format = clockOf(zone);
  const wanted = new Date(Date.parse(`${format.format(instant).replace(' ', 'T')}Z`) - days * 86_400_000)
    .toISOString()
    .slice(0, 16);
  for (let at = instant - days * 86_400_000 - 7_200_000; at <= instant - days * 86_400_000 + 7_200_000; at += 900_000) {
    if (format.format(at).replace(' ', 'T') >= wanted) return at;
  }
  throw new Error(`no ${wanted} in ${zone}`);
}

/** The text that a property is in filters and breakdowns; null: none. */
export const textOf = (value: Json | undefined): string | null => {
  if (value === undefined || value === null || value === '') return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const numberOf = (value: Json | undefined): number | null => {
  const text = textOf(value);
  return text !== null && Number.isFinite(Number(text)) ? Number(text) : null;
};

function statistic(kind: string, values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  const sum = sorted.reduce((all, one) => all + one, 0);
  if (kind === 'sum') return sum;
  if (kind === 'avg') return sum / values.length;
  if (kind === 'min') return sorted[0] ?? 0;
  if (kind === 'max') return sorted.at(-1) ?? 0;
  const share = kind === 'median' ? 0.5 : Number(kind.slice(1)) / 100;
  const place = share * (sorted.length - 1);
  const low = sorted[Math.floor(place)] ?? 0;
  const high = sorted[Math.ceil(place)] ?? 0;
  return low + (high - low) * (place - Math.floor(place));
}
