import { instantOf, isoPattern } from './iso-date.js';
import { textOf } from './value.js';

/** An instant, or with `local` a wall-clock time in a zone yet unknown. Milliseconds. */
export interface ParsedDate {
  readonly at: number;
  readonly local?: boolean;
  /** Whether it is a date without a time; equality then means the same day. */
  readonly whole?: boolean;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Larger numbers are milliseconds; as seconds they would lie beyond the year 5138. */
const LARGEST_SECONDS = 1e11;
const ISO = isoPattern({ anyCase: true, hourZone: true });

/**
 * Reads RFC 3339, a date, a date and time without a zone, or epoch seconds (milliseconds when large). Undefined: not a date,
 * such as a number in text.
 */
export function parseDate(value: unknown): ParsedDate | undefined {
  if (typeof value === 'number') {
    return { at: Math.abs(value) < LARGEST_SECONDS ? value * 1000 : value };
  }
  const match = ISO.exec(textOf(value).trim());
  if (!match) return undefined;
  const at = instantOf(match);
  return Number.isNaN(at) ? undefined : { at, local: !match[8], whole: !match[4] };
}

/** Reads `-30d` and the like; returns the function from now to that instant, or undefined for other text. */
export function parseRelativeDate(value: unknown): ((now: number, timeZone: string | undefined) => number) | undefined {
  const parts = /^-?(\d+)([hdwmy])$/.exec(textOf(value));
  const count = Number(parts?.[1]);
  if (!parts || count >= 10_000) return undefined;
  const unit = parts[2];
  if (unit === 'm' || unit === 'y') {
    const months = unit === 'm' ? count : count * 12;
    return (now, timeZone) => momentOf(monthsBefore(wallOf(now, timeZone), months, unit === 'y'), timeZone);
  }
  const length = count * (unit === 'h' ? HOUR : unit === 'd' ? DAY : 7 * DAY);
  return (now) => now - length;
}

/** Subtracts months one by one and keeps a clamped day, as SDKs do: 31 March, 28 February, 28 January. */
function monthsBefore(wall: number, months: number, inYears: boolean): number {
  const date = new Date(wall);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  let day = date.getUTCDate();
  // a year at a time; the first step clamps 29 February
  const last = inYears ? Math.min(months, 12) : months;
  for (let back = inYears ? 12 : 1; back <= last && day > 28; back++) {
    day = Math.min(day, new Date(Date.UTC(year, month - back + 1, 0)).getUTCDate());
  }
  return date.setUTCFullYear(year, month - months, day);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The wall-clock time of an instant in a zone, encoded as UTC milliseconds. @throws RangeError for a time zone that does not exist */
export function wallOf(at: number, timeZone: string | undefined): number {
  if (!timeZone || timeZone === 'UTC') return at;
  let format = formats.get(timeZone);
  if (!format) {
    // the Swedish locale formats dates as ISO 8601
    format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
    formats.set(timeZone, format);
  }
  const second = Math.floor(at / 1000) * 1000;
  return Date.parse(`${format.format(second).replace(' ', 'T')}Z`) + at - second;
}

/** The instant of a wall-clock time in a zone: the earlier of two when clocks go back, NaN for a skipped time. */
export function momentOf(wall: number, timeZone: string | undefined): number {
  if (!timeZone || timeZone === 'UTC') return wall;
  for (const near of [wall - DAY, wall + DAY]) {
    const at = wall - (wallOf(near, timeZone) - near);
    if (wallOf(at, timeZone) === wall) return at;
  }
  return Number.NaN;
}

/** Days since 1970 in the time zone. */
export const dayOf = (at: number, timeZone: string | undefined): number => Math.floor(wallOf(at, timeZone) / DAY);
