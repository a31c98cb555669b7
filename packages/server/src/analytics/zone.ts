/*
 * Time zones: instants are epoch milliseconds; a local time is written as the milliseconds at which a clock in UTC
 * would show the same.
 */

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    const numeric = 'numeric' as const;
    format = new Intl.DateTimeFormat('en-US-u-ca-iso8601', {
      timeZone: zone,
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    });
    formats.set(zone, format);
  }
  return format;
}

/** What a clock in the zone shows at an instant. */
export function toLocal(instant: number, zone: string): number {
  if (zone === 'UTC') return instant;
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((instant % 1000) + 1000) % 1000);
}

const DAY = 86_400_000;

/**
 * The first instant at which a clock in the zone shows a local time. A time that is skipped in spring counts as much
 * later as the clock was put forward, so a skipped midnight is the instant of the change.
 */
export function fromLocal(local: number, zone: string): number {
  if (zone === 'UTC') return local;
  const before = offset(local - DAY, zone);
  const after = offset(local + DAY, zone);
  const candidates = [local - before, local - after].sort((a, b) => a - b);
  return candidates.find((instant) => toLocal(instant, zone) === local) ?? local - before;
}

const offset = (instant: number, zone: string): number => toLocal(instant, zone) - instant;
