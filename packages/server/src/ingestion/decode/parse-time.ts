const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9})\d*)?)?\s*([Zz]|UTC|([+-])(\d\d)(?::?(\d\d))?)?)?$/;
const STRICT = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;
const SLASHED =
  /^(?:(\d{1,2})\/(\d{1,2})\/(\d{4})|(\d{4})\/(\d{1,2})\/(\d{1,2}))(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?$/;
const RFC_2822 =
  /^(?:[A-Za-z]{3},\s*)?(\d{1,2})\s+([A-Za-z]{3})\s+(\d{4})\s+(\d\d):(\d\d)(?::(\d\d))?\s*(?:([+-])(\d\d)(\d\d)|([A-Za-z]{1,3}))?$/;
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

/** Epoch milliseconds of a time in any notation that clients use: ISO 8601, slashes, RFC 2822, epoch numbers; null for others. Default zone: UTC. */
export function parseTime(value: unknown): number | null {
  if (typeof value === 'number') return fromEpoch(value);
  if (typeof value !== 'string' || value.length > LONGEST) return null;
  const text = value.trim();
  const iso = ISO.exec(text);
  if (iso) return fromIso(iso);
  if (DIGITS.test(text)) return fromEpoch(Number(text));
  return fromSlashed(SLASHED.exec(text)) ?? fromRfc2822(RFC_2822.exec(text));
}

/** Epoch milliseconds of RFC 3339 text, or null for anything else. */
export function parseRfc3339(value: unknown): number | null {
  return typeof value === 'string' && value.length <= LONGEST && STRICT.test(value) ? parseTime(value) : null;
}

function fromEpoch(number: number): number | null {
  if (!Number.isFinite(number)) return null;
  return Math.trunc(Math.abs(number) >= MILLISECONDS_FROM ? number : number * 1000);
}

function fromIso(m: RegExpExecArray): number | null {
  const minutes = m[9] === undefined ? 0 : zone(m[9], m[10], m[11]);
  return compose(m[1], Number(m[2]), m[3], m[4], m[5], m[6], m[7], minutes);
}

function fromSlashed(m: RegExpExecArray | null): number | null {
  if (!m) return null;
  return compose(m[3] ?? m[4], Number(m[1] ?? m[5]), m[2] ?? m[6], m[7], m[8], m[9], m[10], 0);
}

function fromRfc2822(m: RegExpExecArray | null): number | null {
  if (!m) return null;
  const month = MONTHS.indexOf((m[2] ?? '').toLowerCase()) + 1;
  const named = m[10] === undefined ? 0 : ZONES.get(m[10].toLowerCase());
  if (month === 0 || named === undefined) return null;
  return compose(m[3], month, m[1], m[4], m[5], m[6], undefined, m[7] === undefined ? named * 60 : zone(m[7], m[8], m[9]));
}

/** Offset from UTC in minutes; null if it is invalid. */
function zone(sign: string, hours = '0', minutes = '0'): number | null {
  const total = Number(hours) * 60 + Number(minutes);
  if (total >= 24 * 60 || Number(minutes) > 59) return null;
  return sign === '-' ? -total : total;
}

function compose(
  year: string | undefined,
  month: number,
  day: string | undefined,
  hour = '0',
  minute = '0',
  second = '0',
  fraction: string | undefined,
  zoneMinutes: number | null,
): number | null {
  if (zoneMinutes === null) return null;
  const [y, d, h, min, s] = [Number(year), Number(day), Number(hour), Number(minute), Number(second)];
  if (month < 1 || month > 12 || d < 1 || d > daysIn(y, month) || h > 23 || min > 59 || s > 60) return null;
  const ms = fraction === undefined ? 0 : Math.trunc(Number(`0.${fraction}`) * 1000 + 1e-6);
  // leap years repeat every 400 years, and Date.UTC takes the years 0..99 for the 20th century
  const shifted = Date.UTC(y + 400, month - 1, d, h, min, s, ms) - MS_IN_400_YEARS;
  return shifted - zoneMinutes * 60_000;
}

const MS_IN_400_YEARS = 146_097 * 86_400_000;

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
