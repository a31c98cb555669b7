/** A date, or a time, as spreadsheets have them: a number of days. */
export interface DateCell {
  /** Days since 1899-12-30, with the time of the day behind the point. */
  serial: number;
  hasTime: boolean;
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?)?(?:(Z)|([+-]\d\d):?(\d\d))?)?$/;
const DAY = 86_400_000;
const FIRST = Date.UTC(1899, 11, 30);
/** Before this spreadsheets do not agree. */
const LEAST = Date.UTC(1900, 2, 1);

/**
 * Reads texts as dates: `2026-05-01`, and times with a zone, or without one as those of the project. `toLocal`: what a clock of the
 * project shows at an instant, as milliseconds of UTC. Null: the text is no date.
 *
 * @example dateReader((instant) => instant)('2026-05-01T12:00:00Z') // { serial: 46143.5, hasTime: true }
 */
export function dateReader(toLocal: (instant: number) => number): (text: string) => DateCell | null {
  // clocks are put forward and back on the quarter of an hour: what is between two has one difference
  let [quarter, difference] = [Number.NaN, 0];
  const local = (instant: number): number => {
    const now = Math.floor(instant / QUARTER);
    if (now !== quarter) {
      quarter = now;
      difference = toLocal(now * QUARTER) - now * QUARTER;
    }
    return instant + difference;
  };
  return (text) => {
    // most texts are none: this is sooner seen than by the pattern
    if (text.charCodeAt(4) !== 45 || text.length > 40) return null;
    const [whole, year, month, day, hour, minute, second = '0', part = '0', utc, hours, minutes] = DATE.exec(text) ?? [];
    if (whole === undefined) return null;
    const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day));
    // there is no 31st of April, and no 13th month
    if (midnight < LEAST || !new Date(midnight).toISOString().startsWith(text.slice(0, 10))) return null;
    if (hour === undefined) return { serial: (midnight - FIRST) / DAY, hasTime: false };
    if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
    const said = midnight + Number(hour) * 3_600_000 + Number(minute) * 60_000 + (Number(second) + Number(part)) * 1000;
    const offset = (hours?.startsWith('-') ? -1 : 1) * (Math.abs(Number(hours ?? 0)) * 60 + Number(minutes ?? 0));
    const shown = utc || hours ? local(said - offset * 60_000) : said;
    return shown < LEAST ? null : { serial: (shown - FIRST) / DAY, hasTime: true };
  };
}

const QUARTER = 900_000;
