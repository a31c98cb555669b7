/** Entry point `iso-date`: dates and times in ISO 8601 notation. Decision record 0027. */

/**
 * What a reader accepts besides the common notation:
 *
 *   text  = date [ ( "T" | " " ) clock [ zone ] ]
 *   date  = 4digit "-" 2digit "-" 2digit
 *   clock = 2digit ":" 2digit [ ":" 2digit [ "." fraction ] ]     fraction: 1 to 9 digits
 *   zone  = "Z" | ( "+" | "-" ) 2digit [ ":" ] 2digit
 */
export interface IsoForm {
  /** `t` and `z` in lower case (RFC 3339, section 5.6). */
  readonly anyCase?: true;
  /** Months and days of one digit: `2024-1-31`. */
  readonly shortDate?: true;
  /** A comma before the fraction (ISO 8601-1, section 5.3.1.4), as Django REST framework accepts. */
  readonly comma?: true;
  /** A fraction of any length (RFC 3339, section 5.6). */
  readonly longFraction?: true;
  /** White space before the zone. */
  readonly spacedZone?: true;
  /** Zones of hours alone: `+01`, as PostgreSQL writes them. */
  readonly hourZone?: true;
  /** The zone `UTC`, as Ruby's `Time#to_s` writes it. */
  readonly utcZone?: true;
}

/** A match of an {@link isoPattern}: the text, year, month, day, hour, minute, second, fraction, zone. */
export type IsoMatch = readonly (string | undefined)[];

/** A pattern of dates and times without or with a zone. It does not check the calendar; {@link utcOf} does. */
export function isoPattern({ anyCase, shortDate, comma, longFraction, spacedZone, hourZone, utcZone }: IsoForm): RegExp {
  const date = shortDate ? '(\\d{4})-(\\d\\d?)-(\\d\\d?)' : '(\\d{4})-(\\d\\d)-(\\d\\d)';
  const fraction = `[.${comma ? ',' : ''}](\\d${longFraction ? '+' : '{1,9}'})`;
  const offset = `[+-]\\d\\d${hourZone ? '(?::?\\d\\d)?' : ':?\\d\\d'}`;
  const zone = `${spacedZone ? '\\s*' : ''}([Z${anyCase ? 'z' : ''}]|${utcZone ? 'UTC|' : ''}${offset})`;
  return new RegExp(`^${date}(?:[T${anyCase ? 't' : ''} ](\\d\\d):(\\d\\d)(?::(\\d\\d)(?:${fraction})?)?(?:${zone})?)?$`);
}

/**
 * Epoch milliseconds of a match as if its zone were UTC; digits below milliseconds do not count. NaN for what does not exist, as
 * 30 February or 24:00. `lastSecond` 60 accepts leap seconds, which are the next minute then.
 */
export function utcOf(match: IsoMatch, lastSecond = 59): number {
  // each event has a time: the parts are read one by one, which takes half as long as an array of them
  const month = Number(match[2]);
  const [hour, minute, second] = [Number(match[4] ?? 0), Number(match[5] ?? 0), Number(match[6] ?? 0)];
  // leap years repeat every 400 years, and `Date.UTC` takes the years 0 to 99 for the 20th century
  const midnight = Date.UTC(Number(match[1]) + 400, month - 1, Number(match[3]));
  // a day that does not exist is one of another month
  if (new Date(midnight).getUTCMonth() !== month - 1 || hour > 23 || minute > 59 || second > lastSecond) return Number.NaN;
  const fraction = match[7];
  const ms = fraction === undefined ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0'));
  return midnight - MS_IN_400_YEARS + (hour * 60 + minute) * 60_000 + second * 1_000 + ms;
}

const MS_IN_400_YEARS = 146_097 * 86_400_000;

/** Minutes east of UTC of a zone such as `Z`, `+01`, `-0130` or `+01:30`; not checked to exist. */
export function offsetOf(zone: string): number {
  const [hours = 0, minutes = 0] = zone.match(/\d\d/g) ?? [];
  const offset = Number(hours) * 60 + Number(minutes);
  return zone.startsWith('-') ? -offset : offset;
}

/** Epoch milliseconds of a match, by default in UTC. As {@link utcOf}, and NaN for an offset of 24 hours or 60 minutes and more. */
export function instantOf(match: IsoMatch, lastSecond?: number): number {
  const zone = match[8];
  const time = utcOf(match, lastSecond);
  if (zone === undefined || zone === 'Z') return time;
  return /^.(2[4-9]|[3-9])|^...:?[6-9]/.test(zone) ? Number.NaN : time - offsetOf(zone) * 60_000;
}
