/** A date or time as spreadsheets store it: a number of days. */
export interface DateCell {
  /** Days since 1899-12-30; the fraction is the time of day. */
  serial: number;
  hasTime: boolean;
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?)?(?:(Z)|([+-]\d\d):?(\d\d))?)?$/;
const DAY = 86_400_000;
const FIRST = Date.UTC(1899, 11, 30);
/** Before this date, spreadsheets disagree about serial numbers (Excel has a 29 February 1900). */
const MIN_DATE = Date.UTC(1900, 2, 1);

/**
 * Creates a reader of ISO dates and times. A time with an offset becomes local time by `toLocal` (see `WallClock`), one without is local
 * already. The reader returns null when the text is not a date.
 *
 * @example dateReader((instant) => instant)('2026-05-01T12:00:00Z') // { serial: 46143.5, hasTime: true }
 */
export function dateReader(toLocal: (instant: number) => number): (text: string) => DateCell | null {
  // time zones change at multiples of 15 minutes only, so all instants of a quarter have the same offset
  let [quarter, difference] = [Number.NaN, 0];
  const local = (instant: number): number => {
    const current = Math.floor(instant / QUARTER);
    if (current !== quarter) {
      quarter = current;
      difference = toLocal(current * QUARTER) - current * QUARTER;
    }
    return instant + difference;
  };
  return (text) => {
    // fast path: most texts are not dates
    if (text.charCodeAt(4) !== 45 || text.length > 40) return null;
    const [whole, year, month, day, hour, minute, second = '0', part = '0', utc, hours, minutes] = DATE.exec(text) ?? [];
    if (whole === undefined) return null;
    const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day));
    // refuse 31 April and month 13
    if (midnight < MIN_DATE || !new Date(midnight).toISOString().startsWith(text.slice(0, 10))) return null;
    if (hour === undefined) return { serial: (midnight - FIRST) / DAY, hasTime: false };
    if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
    const time = midnight + Number(hour) * 3_600_000 + Number(minute) * 60_000 + (Number(second) + Number(part)) * 1000;
    const offset = (hours?.startsWith('-') ? -1 : 1) * (Math.abs(Number(hours ?? 0)) * 60 + Number(minutes ?? 0));
    const shown = utc || hours ? local(time - offset * 60_000) : time;
    return shown < MIN_DATE ? null : { serial: (shown - FIRST) / DAY, hasTime: true };
  };
}

const QUARTER = 900_000;
