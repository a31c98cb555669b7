const SECOND = 1000;
const DAY = 86_400 * SECOND;

const LENGTHS = { second: SECOND, minute: 60 * SECOND, hour: 3600 * SECOND, day: DAY, week: 7 * DAY, month: 30 * DAY } as const;

export type WindowUnit = keyof typeof LENGTHS;
export const WINDOW_UNITS: readonly WindowUnit[] = ['second', 'minute', 'hour', 'day', 'week', 'month'];

/** Maximum conversion window. */
export const MAX_WINDOW_DAYS = 3650;

/** Milliseconds; a month has 30 days. */
export const windowOf = (count: number, unit: WindowUnit): number => count * LENGTHS[unit];
