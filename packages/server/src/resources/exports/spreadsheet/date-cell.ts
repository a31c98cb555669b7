import { isoPattern, offsetOf, utcOf } from '@tidemark/flags/iso-date';

/** A date or time as spreadsheets store it: a number of days. */
export interface DateCell {
  /** Days since 1899-12-30; the fraction is the time of day. */
  serial: number;
  hasTime: boolean;
}

const DATE = isoPattern({});
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
    const match = DATE.exec(text);
    const time = match ? utcOf(match) : Number.NaN;
    if (!match || !(time >= MIN_DATE)) return null;
    const [, , , , hour, , , fraction = '', zone] = match;
    if (hour === undefined) return { serial: (time - FIRST) / DAY, hasTime: false };
    const exact = time + Number(`0.${fraction.slice(3)}`);
    const shown = zone ? local(exact - offsetOf(zone) * 60_000) : exact;
    return shown < MIN_DATE ? null : { serial: (shown - FIRST) / DAY, hasTime: true };
  };
}

const QUARTER = 900_000;
