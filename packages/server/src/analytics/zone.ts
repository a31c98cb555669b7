import { LRUCache } from 'lru-cache';

/*
 * Time zones. An instant is epoch milliseconds. A local time is the epoch milliseconds of the same date and time in UTC, so that its
 * calendar fields can be read by `getUTC…`. Why Intl and not the polyfill of Temporal: docs/decisions/0024.
 */

/** Creating a format takes as long as a hundred uses of it. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 100, memoMethod: createFormat });

function createFormat(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US-u-ca-iso8601', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
}

/** Converts an instant to local time. */
export function toLocal(instant: number, zone: string): number {
  if (zone === 'UTC') return instant;
  const parts: Record<string, number> = {};
  for (const { type, value } of formats.memo(zone).formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((instant % 1000) + 1000) % 1000);
}

const DAY = 86_400_000;

/**
 * Converts a local time to an instant: the first one if clocks are set back and the time occurs twice. A time that is skipped in spring
 * moves forward by the length of the gap, so a skipped midnight is the instant of the change.
 */
export function fromLocal(local: number, zone: string): number {
  if (zone === 'UTC') return local;
  const before = offset(local - DAY, zone);
  const after = offset(local + DAY, zone);
  const candidates = [local - before, local - after].sort((a, b) => a - b);
  return candidates.find((instant) => toLocal(instant, zone) === local) ?? local - before;
}

const offset = (instant: number, zone: string): number => toLocal(instant, zone) - instant;
