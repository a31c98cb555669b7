/** Milliseconds in which the offset of a zone is looked up once. */
const STEP = 15 * 60_000;
/** Offsets in memory: some years. */
const MOST_OFFSETS = 200_000;

/** Whether the system knows a time zone. */
export function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }) !== null;
  } catch {
    return false;
  }
}

/**
 * Makes a function that turns the time on the clocks of a zone into the moment, both in epoch milliseconds: clocks are written as if they were in UTC.
 * Of a time that clocks show twice, the first moment counts; one that they leave out is taken as if they had not.
 */
export function momentsIn(zone: string): (clock: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  const offsets = new Map<number, number>();
  const offsetAt = (moment: number): number => {
    const step = Math.floor(moment / STEP);
    let offset = offsets.get(step);
    if (offset === undefined) {
      const parts = new Map(format.formatToParts(step * STEP).map(({ type, value }) => [type, Number(value)]));
      const of = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
      offset = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) - step * STEP;
      if (offsets.size >= MOST_OFFSETS) offsets.clear();
      offsets.set(step, offset);
    }
    return offset;
  };
  return (clock) => {
    // the larger offset is the earlier moment
    const [before, after] = [offsetAt(clock - 86_400_000), offsetAt(clock + 86_400_000)];
    const candidates = [...new Set([Math.max(before, after), Math.min(before, after)])];
    const offset = candidates.find((one) => offsetAt(clock - one) === one) ?? before;
    return clock - offset;
  };
}
