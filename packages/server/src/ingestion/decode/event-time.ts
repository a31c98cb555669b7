import { instantOf, isoPattern } from '@tidemark/flags/iso-date';

const HOUR = 3_600_000;
/** Limit of timestamps in the future: the largest error of a wrong time zone. */
const TOLERATED_FUTURE = 23 * HOUR;
const YEAR_0 = Date.UTC(400, 0, 1) - 146_097 * 86_400_000;
const END_OF_2020 = Date.UTC(2021, 0, 1);

/** The fields that determine the time of an event; epoch milliseconds, UTC. */
interface TimeClues {
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

/** The fraction may be longer, and is truncated. */
const ISO = isoPattern({ anyCase: true, comma: true, longFraction: true, spacedZone: true, hourZone: true, utcZone: true });
const RFC_3339 = isoPattern({ anyCase: true, longFraction: true });
const SLASHED =
  /^(?:(\d{1,2})\/(\d{1,2})\/(\d{4})|(\d{4})\/(\d{1,2})\/(\d{1,2}))(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?$/;
const RFC_2822 =
  /^(?:[A-Za-z]{3},\s*)?(\d{1,2})\s+([A-Za-z]{3})\s+(\d{4})\s+(\d\d):(\d\d)(?::(\d\d))?\s*(?:([+-]\d{4})|([A-Za-z]{1,3}))?$/;
const DIGITS = /^-?\d{1,16}(?:\.\d+)?$/;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Hours from UTC of the zone names of RFC 2822. */
const ZONES: ReadonlyMap<string, number> = new Map([
  ['ut', 0],
  ['utc', 0],
  ['gmt', 0],
  ['z', 0],
  ['est', -5],
  ['edt', -4],
  ['cst', -6],
  ['cdt', -5],
  ['mst', -7],
  ['mdt', -6],
  ['pst', -8],
  ['pdt', -7],
]);
/** Numbers from here on are milliseconds: as seconds they would be after the year 5000. */
const MILLISECONDS_FROM = 1e11;
const LONGEST = 64;
/** Clients send leap seconds. */
const LAST_SECOND = 60;

const orNull = (time: number | null): number | null => (Number.isNaN(time) ? null : time);

/** Epoch milliseconds of a time in any notation that clients use: ISO 8601, slashes, RFC 2822, epoch numbers; null for others. Default zone: UTC. */
export function parseTime(value: unknown): number | null {
  if (typeof value === 'number') return fromEpoch(value);
  if (typeof value !== 'string' || value.length > LONGEST) return null;
  const text = value.trim();
  const iso = ISO.exec(text);
  if (iso) return orNull(instantOf(iso, LAST_SECOND));
  if (DIGITS.test(text)) return fromEpoch(Number(text));
  return orNull(fromSlashed(SLASHED.exec(text)) ?? fromRfc2822(RFC_2822.exec(text)));
}

/** Epoch milliseconds of RFC 3339 text, or null for anything else. */
export function parseRfc3339(value: unknown): number | null {
  const match = typeof value === 'string' && value.length <= LONGEST ? RFC_3339.exec(value) : null;
  const [, , , , , , second, , zone = ''] = match ?? [];
  // RFC 3339 requires seconds, and a zone with a colon
  return match && second !== undefined && /^z$|:/i.test(zone) ? orNull(instantOf(match, LAST_SECOND)) : null;
}

function fromEpoch(number: number): number | null {
  if (!Number.isFinite(number)) return null;
  return Math.trunc(Math.abs(number) >= MILLISECONDS_FROM ? number : number * 1000);
}

function fromSlashed(m: RegExpExecArray | null): number | null {
  return m && instantOf([m[0], m[3] ?? m[4], m[1] ?? m[5], m[2] ?? m[6], m[7], m[8], m[9], m[10]], LAST_SECOND);
}

function fromRfc2822(m: RegExpExecArray | null): number | null {
  if (!m) return null;
  const [text, day, name = '', year, hour, minute, second, offset, zone] = m;
  const month = MONTHS.indexOf(name.toLowerCase()) + 1;
  const hours = zone === undefined ? 0 : ZONES.get(zone.toLowerCase());
  if (hours === undefined) return null;
  return instantOf([text, year, String(month), day, hour, minute, second, undefined, offset], LAST_SECOND) - hours * 3_600_000;
}
