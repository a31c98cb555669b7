import { parseTime } from './parse-time.js';

const HOUR = 3_600_000;
/** How far ahead of us an event may lie; the most that any time zone mistake explains. */
const TOLERATED_FUTURE = 23 * HOUR;
const YEAR_0 = Date.UTC(400, 0, 1) - 146_097 * 86_400_000;
const END_OF_2020 = Date.UTC(2021, 0, 1);

/** What is known of the time of one event; all numbers epoch milliseconds, UTC. */
export interface TimeClues {
  now: number;
  /** The event's own time, as parsed. */
  timestamp: number | null;
  /** The client's clock when it sent; null when unknown or not to be used. */
  sentAt: number | null;
  /** Milliseconds before the sending. */
  offset: number | null;
}

/** When the event happened by the server's clock: the client's error shows in when it says it sent. */
export function eventTime({ now, timestamp, sentAt, offset }: TimeClues): number {
  let time = now;
  if (timestamp !== null) time = sentAt === null ? timestamp : timestamp - (sentAt - now);
  if (offset !== null) time = now - offset;
  if (time > now + TOLERATED_FUTURE) return now;
  if (!(time >= YEAR_0)) return 0;
  return Math.trunc(time);
}

/** The query's `sent_at` or `_`: epoch milliseconds. What decodes to 2020 or earlier was seconds and is ignored. */
export function sentAtOfQuery(text: string | undefined): number | null {
  if (text === undefined || !/^\d{1,15}$/.test(text)) return null;
  const sentAt = Number(text);
  return sentAt < END_OF_2020 ? null : sentAt;
}

/** A request's `sent_at`, where it has a usable one. */
export const sentAtOfBody = (value: unknown): number | null => (typeof value === 'string' ? parseTime(value) : null);
