/**
 * A time zone. An instant is epoch milliseconds. A local time is the epoch milliseconds of the same date and time in UTC, so that its
 * calendar fields can be read by `getUTC…`. Why Intl and not the polyfill of Temporal: docs/decisions/0024.
 */
export interface Zone {
  /** IANA name. */
  readonly name: string;
  /** Converts an instant to local time. */
  toLocal(instant: number): number;
  /**
   * Converts a local time to an instant: the first one if clocks are set back and the time occurs twice. A time that is skipped in spring
   * moves forward by the length of the gap, so a skipped midnight is the instant of the change.
   */
  fromLocal(local: number): number;
}

export const UTC: Zone = { name: 'UTC', toLocal: (instant) => instant, fromLocal: (local) => local };

const DAY = 86_400_000;

/** Creates a time zone. To be used for a whole query: its format takes as long to create as a hundred conversions. */
export function createZone(name: string): Zone {
  if (name === UTC.name) return UTC;
  let format: Intl.DateTimeFormat | undefined;

  function toLocal(instant: number): number {
    format ??= createFormat(name);
    const parts: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(instant)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) + (((instant % 1000) + 1000) % 1000);
  }

  const offset = (instant: number): number => toLocal(instant) - instant;

  return {
    name,
    toLocal,
    fromLocal(local) {
      const before = offset(local - DAY);
      const after = offset(local + DAY);
      const candidates = [local - before, local - after].sort((a, b) => a - b);
      return candidates.find((instant) => toLocal(instant) === local) ?? local - before;
    },
  };
}

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
