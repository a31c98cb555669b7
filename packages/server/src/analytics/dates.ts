import { momentOf, parseDate, parseRelativeDate } from '@tidemark/flags/filters';
import { isoPattern, offsetOf, utcOf } from '@tidemark/flags/iso-date';
import { UTC, type Zone } from './zone.js';

/** Time and time zone of a request, against which relative dates are resolved. */
export interface Moment {
  /** Epoch milliseconds. */
  now: number;
  zone: Zone;
}

export type Unit = 'M' | 'h' | 'd' | 'w' | 'm' | 'q' | 'y';

const MINUTE = 60_000;
const LENGTH = { M: MINUTE, h: 60 * MINUTE } as const;
const RELATIVE = /^[-+]?(\d{1,4})([hdwmqyM])(Start|End)?$/;
/** Named relative dates. */
const WORDS: Readonly<Record<string, string>> = { now: '-0h', today: '-0dStart', yesterday: '-1dStart' };
const relativeOf = (text: string) => RELATIVE.exec(WORDS[text.trim().toLowerCase()] ?? text);
const ISO = isoPattern({ anyCase: true, shortDate: true, comma: true, spacedZone: true, hourZone: true });

/** Whether a date depends on the time of the request, as `-7d` does. */
export const isRelative = (text: string): boolean => relativeOf(text) !== null || /^[hdwmqy](Start|End)$/.test(text);

/** A resolved date in epoch milliseconds. */
export interface ResolvedDate {
  instant: number;
  /** Exclusive end of the day if the date stands for a whole day; null for an exact time. */
  end: number | null;
}

/**
 * Resolves the date of a query. Relative days, weeks, months and years stand for whole days.
 *
 *   date     = absolute | relative | "now" | "today" | "yesterday"
 *   absolute = an ISO date or date-time, also `2024-1-31`; default zone: the project's
 *   relative = [ "-" | "+" ] digits unit [ edge ] | unit edge      `-7d`, `-24h`, `-1mStart`, `yStart`; the sign has no meaning
 *   unit     = "M" (minute) | "h" | "d" | "w" | "m" (month) | "q" | "y"
 *   edge     = "Start" | "End"                                     first or last day of the unit
 *
 * @returns null for any other text
 */
export function resolveDate(text: string, { now, zone }: Moment): ResolvedDate | null {
  const relative = relativeOf(/^[hdwmqy](Start|End)$/.test(text) ? `-0${text}` : text);
  if (!relative) return absolute(text, zone);
  const [, count, unit, edge] = relative;
  if (unit === 'M' || unit === 'h') {
    return { instant: now - Number(count) * LENGTH[unit], end: null };
  }
  const day = shift(zone.toLocal(now), unit as Unit, -Number(count));
  return wholeDay(edgeOf(day, unit as Unit, edge), zone);
}

/** As {@link resolveDate}, but relative days, weeks, months and years keep the time of day. */
export function resolveInstant(text: string, { now, zone }: Moment): number | null {
  const [, count, unit, edge] = relativeOf(text) ?? [];
  if (!unit || edge || unit === 'M' || unit === 'h') return resolveDate(text, { now, zone })?.instant ?? null;
  return zone.fromLocal(shift(zone.toLocal(now), unit as Unit, -Number(count)));
}

/** The date of a filter in epoch milliseconds. */
export interface FilterDate {
  instant: number;
  /** The whole day, to compare with for equality; null for an exact time. */
  day: ResolvedDate | null;
}

/** Resolves the date of an `is_date_*` filter as the evaluator of feature flags does. @returns null if invalid, also for a skipped local time */
export function resolveFilterDate(text: string, { now, zone }: Moment): FilterDate | null {
  const relative = parseRelativeDate(text)?.(now, zone.name);
  const date = parseDate(text);
  const instant = relative ?? (date?.local ? momentOf(date.at, zone.name) : date?.at);
  if (instant === undefined || Number.isNaN(instant)) return null;
  const isDay = relative !== undefined || date?.whole === true;
  return { instant, day: isDay ? wholeDay(startOf(zone.toLocal(instant), 'd'), zone) : null };
}

/** Whether a text is a date that {@link resolveDate} reads. */
export const isDate = (text: string): boolean => resolveDate(text, { now: 0, zone: UTC }) !== null;
/** Whether a text is a date that {@link resolveFilterDate} reads. */
export const isFilterDate = (text: string): boolean => resolveFilterDate(text, { now: 0, zone: UTC }) !== null;

function absolute(text: string, zone: Zone): ResolvedDate | null {
  const match = ISO.exec(text.trim());
  if (!match) return null;
  const local = utcOf(match);
  if (Number.isNaN(local)) return null;
  const [, , , , hour, , , , offset] = match;
  if (hour === undefined) return wholeDay(local, zone);
  return { instant: offset ? local - offsetOf(offset) * MINUTE : zone.fromLocal(local), end: null };
}

const wholeDay = (midnight: number, zone: Zone): ResolvedDate => ({
  instant: zone.fromLocal(midnight),
  end: zone.fromLocal(shift(midnight, 'd', 1)),
});

/** Adds `count` units to a local time. The day of the month is kept, or clamped to the last day of the month. */
export function shift(local: number, unit: Unit, count: number): number {
  if (unit === 'M' || unit === 'h') return local + count * LENGTH[unit];
  if (unit === 'd' || unit === 'w') return local + count * (unit === 'd' ? 24 : 168) * LENGTH.h;
  const months = count * { m: 1, q: 3, y: 12 }[unit];
  const date = new Date(local);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, last));
  return date.getTime();
}

/** Start of the day; with `Start` of the unit, with `End` of the last day of the unit. */
function edgeOf(local: number, unit: Unit, edge: string | undefined): number {
  if (!edge) return startOf(local, 'd');
  const start = startOf(local, unit);
  return edge === 'Start' ? start : shift(shift(start, unit, 1), 'd', -1);
}

/** Start of the unit that contains a local time. Weeks begin on Sunday by default, on Monday with `weekStart` 1. */
export function startOf(local: number, unit: Unit, weekStart: 0 | 1 = 0): number {
  const date = new Date(local);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (unit === 'y') return Date.UTC(year, 0, 1);
  if (unit === 'q') return Date.UTC(year, month - (month % 3), 1);
  if (unit === 'm') return Date.UTC(year, month, 1);
  if (unit === 'w') return Date.UTC(year, month, day - ((date.getUTCDay() - weekStart + 7) % 7));
  return Date.UTC(year, month, day);
}
