import type { Interval } from './buckets.js';
import { type Moment, shift, startOf } from './dates.js';

/** Whole intervals in a row, epoch milliseconds. */
interface WholeIntervals {
  /** Start of the first one. */
  from: number;
  /** Exclusive end of the last one; null: it is not over. */
  to: number | null;
}

const STEPS: Partial<Record<Interval, number>> = { minute: 60_000, hour: 3_600_000 };
const UNITS = { day: 'd', week: 'w', month: 'm' } as const;

/**
 * The last `count` intervals that are over at a moment; with `isOngoing` the last of them is the one that is not over.
 * @param options.weekStart 0: weeks begin on Sunday; 1: on Monday
 */
export function lastIntervals(
  interval: Interval,
  count: number,
  { now, zone }: Moment,
  { weekStart, isOngoing }: { weekStart: 0 | 1; isOngoing: boolean },
): WholeIntervals {
  const before = isOngoing ? count - 1 : count;
  const step = STEPS[interval];
  const local = zone.toLocal(now);
  if (step) {
    const start = now - (((local % step) + step) % step);
    return { from: start - before * step, to: isOngoing ? null : start };
  }
  const unit = UNITS[interval as keyof typeof UNITS];
  const start = startOf(local, unit, weekStart);
  return { from: zone.fromLocal(shift(start, unit, -before)), to: isOngoing ? null : zone.fromLocal(start) };
}
