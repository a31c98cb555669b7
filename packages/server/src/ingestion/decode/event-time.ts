import { parseTime } from './parse-time.js';

const HOUR = 3_600_000;
/** Limit of timestamps in the future: the largest error of a wrong time zone. */
const TOLERATED_FUTURE = 23 * HOUR;
const YEAR_0 = Date.UTC(400, 0, 1) - 146_097 * 86_400_000;
const END_OF_2020 = Date.UTC(2021, 0, 1);

/** The fields that determine the time of an event; epoch milliseconds, UTC. */
export interface TimeClues {
  now: number;
  /** The event's own time, as parsed. */
  timestamp: number | null;
  /** The client's clock at sending; null when unknown or not to be used. */
  sentAt: number | null;
  /** Milliseconds before the sending. */
  offset: number | null;
}

/** The time of the event by the server's clock: `sentAt - now` is the skew of the client's clock. */
export function eventTime({ now, timestamp, sentAt, offset }: TimeClues): number {
  let time = now;
  if (timestamp !== null) time = sentAt === null ? timestamp : timestamp - (sentAt - now);
  if (offset !== null) time = now - offset;
  if (time > now + TOLERATED_FUTURE) return now;
  if (!(time >= YEAR_0)) return 0;
  return Math.trunc(time);
}

/** The query parameter `sent_at` or `_`, epoch milliseconds. Values before 2021 were seconds and are ignored. */
export function sentAtOfQuery(text: string | undefined): number | null {
  if (text === undefined || !/^\d{1,15}$/.test(text)) return null;
  const sentAt = Number(text);
  return sentAt < END_OF_2020 ? null : sentAt;
}

/** The `sent_at` of a body, epoch milliseconds; null: missing or unreadable. */
export const sentAtOfBody = (value: unknown): number | null => (typeof value === 'string' ? parseTime(value) : null);
