import type { Measure } from '../text/measure.js';

/** A label of a time axis. */
export interface Tick {
  /** Index of its bucket. */
  index: number;
  text: string;
  /** Second line: the day, below the first of its hours. */
  day: string | null;
}

/** A time of the wall clock, in the zone of the query. */
interface Moment {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  /** 0 is Sunday. */
  weekday: number;
  /** Milliseconds, as if the zone were UTC. */
  at: number;
}

type Unit = 'minute' | 'hour' | 'day' | 'week' | 'month';
/** Lengths that the interval of a query may name, where a single bucket does not tell. */
export const UNITS = ['hour', 'day', 'week', 'month'] as const;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Font size of all axes. */
export const AXIS_SIZE = 11;
/** Pixels between two labels. */
const GAP = 14;

/** Parses `2026-05-01`, `2026-05-01 14:30:00` or the same with a `T`; null: another text. */
export function momentOf(text: string): Moment | null {
  const match = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d))?/.exec(text);
  if (!match) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = match.slice(1).map((part) => Number(part ?? 0));
  const at = Date.UTC(year, month - 1, day, hour, minute);
  return { year, month, day, hour, minute, weekday: new Date(at).getUTCDay(), at };
}

/** The length of the buckets that begin at these times. */
export function unitOf(moments: readonly Moment[]): Unit {
  const steps = moments.slice(1).map(({ at }, i) => Math.abs(at - (moments[i]?.at ?? 0)));
  const hasHours = moments.some(({ hour, minute }) => hour > 0 || minute > 0);
  const step = steps.length > 0 ? Math.min(...steps.filter((one) => one > 0)) : hasHours ? HOUR_MS : DAY_MS;
  if (step < HOUR_MS) return 'minute';
  if (step < DAY_MS - HOUR_MS) return 'hour';
  if (step < 6 * DAY_MS) return 'day';
  return step < 27 * DAY_MS ? 'week' : 'month';
}

type Choice = (moment: Moment, index: number, moments: readonly Moment[]) => boolean;

const every =
  (count: number): Choice =>
  (_, index) =>
    index % count === 0;
const monday: Choice = ({ weekday }) => weekday === 1;
/** Numbers Mondays, so that every second is the same in every range. */
const weekOf = ({ at }: Moment): number => Math.round(at / (7 * DAY_MS));
const firstOf =
  (months: number): Choice =>
  ({ month, day }) =>
    day === 1 && (month - 1) % months === 0;
const hours =
  (count: number): Choice =>
  ({ hour, minute }) =>
    minute === 0 && hour % count === 0;
const midnights =
  (count: number): Choice =>
  ({ hour, minute, at }) =>
    hour === 0 && minute === 0 && Math.floor(at / DAY_MS) % count === 0;
const minutes =
  (count: number): Choice =>
  ({ minute }) =>
    minute % count === 0;

/** Days at an equal distance, a Monday among them. */
const daysFromMonday =
  (count: number): Choice =>
  ({ at }, _, moments) => {
    const found = moments.find(({ weekday }) => weekday === 1) ?? moments[0];
    return Math.round((at - (found?.at ?? at)) / DAY_MS) % count === 0;
  };

/** Days of less than three Mondays, whose ticks would be too few. */
const SHORT_DAYS: Choice[] = [every(1), daysFromMonday(2), daysFromMonday(3), daysFromMonday(4)];
const isShort = (moments: readonly Moment[]): boolean => moments.filter(({ weekday }) => weekday === 1).length < 3;

const DAYS: Choice[] = [
  every(1),
  monday,
  (moment, index, moments) => monday(moment, index, moments) && weekOf(moment) % 2 === 0,
  firstOf(1),
  firstOf(2),
  firstOf(3),
  firstOf(6),
  firstOf(12),
];

/** Where ticks may stand, from many to few. */
const CHOICES: Readonly<Record<Unit, Choice[]>> = {
  minute: [every(1), ...[5, 10, 15, 30].map(minutes), ...[1, 2, 3, 6, 12].map(hours)],
  hour: [...[1, 2, 3, 6, 12, 24].map(hours), ...[2, 4].map(midnights), ...DAYS.slice(1)],
  day: DAYS,
  week: [every(1), ...[2, 4, 8, 13, 26, 52].map(every)],
  month: [
    every(1),
    ...[2, 3, 6, 12].map(
      (count): Choice =>
        ({ month }) =>
          (month - 1) % count === 0,
    ),
  ],
};

/**
 * The ticks of a time axis that fit into its width: midnights and round hours, Mondays, firsts of months. The year stands where it turns.
 *
 * @param days when each bucket begins
 * @param interval the length of a bucket, if it is known
 * @returns null when these are no times
 */
export function calendarTicks(days: readonly string[], width: number, measure: Measure, interval?: string): Tick[] | null {
  const moments = days.map(momentOf).filter((moment) => moment !== null);
  if (moments.length === 0 || moments.length < days.length) return null;
  // a single bucket may be of any length
  const unit = moments.length === 1 && interval === 'month' ? 'month' : unitOf(moments);
  const pixels = width / Math.max(1, days.length - 1);
  const fitting = (choice: Choice, least: number): Tick[] | null => {
    const indexes = moments.flatMap((moment, index) => (choice(moment, index, moments) ? [index] : []));
    const ticks = labelled(moments, indexes, unit);
    const fits = ticks.every(({ index, text, day }, i) => {
      const next = ticks[i + 1];
      if (!next) return true;
      const own = Math.max(measure(text, AXIS_SIZE), day ? measure(day, AXIS_SIZE) : 0);
      return (next.index - index) * pixels >= own + GAP;
    });
    return fits && ticks.length >= Math.min(least, days.length) ? ticks : null;
  };
  const short = unit === 'day' && isShort(moments) ? SHORT_DAYS : [];
  const choices = [
    ...short.map((choice) => ({ choice, least: 3 })),
    ...[2, 1].flatMap((least) => CHOICES[unit].map((choice) => ({ choice, least }))),
  ];
  for (const { choice, least } of choices) {
    const ticks = fitting(choice, least);
    if (ticks) return ticks;
  }
  return labelled(moments, [0], unit);
}

function labelled(moments: readonly Moment[], indexes: readonly number[], unit: Unit): Tick[] {
  const at = (i: number) => moments[indexes[i] ?? -1];
  const isByHour = (unit === 'hour' || unit === 'minute') && indexes.some((_, i) => at(i)?.hour !== 0 || at(i)?.minute !== 0);
  return indexes.flatMap((index, i): Tick[] => {
    const [moment, before] = [at(i), at(i - 1)];
    const yearBefore = (before ?? moments[0])?.year;
    if (!moment) return [];
    const date = dateText(moment, unit, yearBefore !== moment.year);
    if (!isByHour) return [{ index, text: date, day: null }];
    const isNewDay = before === undefined || before.day !== moment.day || before.month !== moment.month;
    const hour = String(moment.hour).padStart(2, '0');
    const text = unit === 'hour' ? hour : `${hour}:${String(moment.minute).padStart(2, '0')}`;
    return [{ index, text, day: isNewDay ? date : null }];
  });
}

/** A day, or a month: `26 Oct`, `26 Oct 2026`. */
export function dateText({ year, month, day }: Moment, unit: Unit, hasYear: boolean): string {
  const text = unit === 'month' ? (MONTHS[month - 1] ?? '') : `${day} ${MONTHS[month - 1]}`;
  return hasYear ? `${text} ${year}` : text;
}

/** The time of a bucket in words: `26 Oct 2026`, `26 Oct 2026, 14:00`, `2 Nov to 8 Nov 2026`, `Oct 2026`. */
export function bucketText(moment: Moment, unit: Unit): string {
  const { year, month, hour, minute, at } = moment;
  if (unit === 'month') return `${MONTHS[month - 1]} ${year}`;
  const date = dateText(moment, unit, true);
  if (unit === 'day') return date;
  if (unit !== 'week') return `${date}, ${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
  const end = new Date(at + 6 * DAY_MS);
  const last = { ...moment, year: end.getUTCFullYear(), month: end.getUTCMonth() + 1, day: end.getUTCDate() };
  return `${dateText(moment, unit, last.year !== year)} to ${dateText(last, unit, true)}`;
}

/** The bucket that begins so many later. */
export function laterMoment({ year, month, at }: Moment, unit: Unit, count: number): Moment {
  const day = new Date(unit === 'month' ? Date.UTC(year, month - 1 + count, 1) : at + count * LENGTHS[unit]);
  return {
    year: day.getUTCFullYear(),
    month: day.getUTCMonth() + 1,
    day: day.getUTCDate(),
    hour: day.getUTCHours(),
    minute: day.getUTCMinutes(),
    weekday: day.getUTCDay(),
    at: day.getTime(),
  };
}

const LENGTHS = { minute: 60_000, hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS };

/** When a bucket ends; milliseconds, as {@link Moment.at}. */
export function endOf({ year, month, at }: Moment, unit: Unit): number {
  if (unit === 'month') return Date.UTC(year, month, 1);
  return at + LENGTHS[unit];
}
