/**
 * The same instant in UTC, ISO 8601; digits below the millisecond are kept. undefined when it is not a time.
 * @example eventTime('2025-01-01T02:00:00.123456+02:00') // '2025-01-01T00:00:00.123456Z'
 */
export function eventTime(time: Date | number | string): string | undefined {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return undefined;
  const iso = isoTime(date.getTime());
  const digits = typeof time === 'string' ? /:\d\d\.(\d{4,})/.exec(time)?.[1] : undefined;
  return digits ? iso.replace(/\.\d+Z$/, `.${digits}Z`) : iso;
}

let second = Number.NaN;
let head = '';

/** Epoch milliseconds as ISO 8601 in UTC. Most events share all but the milliseconds with the one before; the date takes longest to write. */
export function isoTime(now: number): string {
  const current = Math.floor(now / 1000);
  if (current !== second) {
    head = new Date(now).toISOString().slice(0, -4);
    second = current;
  }
  return `${head}${String(Math.floor(now - current * 1000) + 1000).slice(1)}Z`;
}

/** Whether the server takes it as the id of an event; one bad id would cost the whole batch. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i.test(value);
}

/** The time inside a UUID version 7 in epoch milliseconds; undefined for anything else. */
export function timeOfUuid7(value: unknown): number | undefined {
  return isUuid(value) && value[14] === '7' ? Number.parseInt(value.slice(0, 8) + value.slice(9, 13), 16) : undefined;
}
