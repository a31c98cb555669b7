const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** More keys than this are not remembered; those whose hour began first go first. */
const MAX_KEYS = 100_000;

/** How many requests one key may make. */
export interface RateLimit {
  perMinute: number;
  perHour: number;
}

interface Counts {
  minuteStart: number;
  inMinute: number;
  hourStart: number;
  inHour: number;
}

/**
 * Counts requests by key, in windows that begin with the first request of their key, so that the wait it tells is exact. The
 * returned function counts one and gives 0, or does not count it and gives the milliseconds until one is admitted again.
 */
export function createCounter({ perMinute, perHour }: RateLimit): (key: string, now: number) => number {
  // in the order in which the hours of the keys began
  const byKey = new Map<string, Counts>();
  return (key, now) => {
    let counts = byKey.get(key);
    if (!counts || isOver(counts.hourStart, HOUR_MS, now)) {
      counts = { minuteStart: now, inMinute: 0, ...counts, hourStart: now, inHour: 0 };
      byKey.delete(key);
      byKey.set(key, counts);
      forgetOldest(byKey, now);
    }
    if (isOver(counts.minuteStart, MINUTE_MS, now)) Object.assign(counts, { minuteStart: now, inMinute: 0 });
    const minuteLeft = counts.inMinute < perMinute ? 0 : counts.minuteStart + MINUTE_MS - now;
    const hourLeft = counts.inHour < perHour ? 0 : counts.hourStart + HOUR_MS - now;
    if (minuteLeft > 0 || hourLeft > 0) return Math.max(minuteLeft, hourLeft);
    counts.inMinute += 1;
    counts.inHour += 1;
    return 0;
  };
}

/** A clock that was set back ends a window too, lest it last for longer than it should. */
const isOver = (start: number, length: number, now: number): boolean => now - start >= length || now < start;

function forgetOldest(byKey: Map<string, Counts>, now: number): void {
  for (const [key, { hourStart }] of byKey) {
    if (byKey.size <= MAX_KEYS && !isOver(hourStart, HOUR_MS, now)) return;
    byKey.delete(key);
  }
}
