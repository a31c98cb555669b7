import { type Moment, shift, startOf } from '../../analytics/index.js';
import type { CalculationInterval } from './schema.js';

const HOUR = 3_600_000;
/** After the end of a period, so that events that arrive late are counted. */
const HOURLY_DELAY = 5 * 60_000;
const DELAY = HOUR;

const UNITS = { daily: 'd', weekly: 'w', monthly: 'm' } as const;

/**
 * When an alert is checked after `now`: five minutes after a full hour, or at 01:00 of the next day, week or month in the zone of the
 * project. Epoch milliseconds.
 */
export function nextCheck(interval: CalculationInterval, { now, zone }: Moment, weekStart: 0 | 1): number {
  const local = zone.toLocal(now);
  if (interval === 'hourly') {
    const due = now - (local % HOUR) + HOURLY_DELAY;
    return due > now ? due : due + HOUR;
  }
  const unit = UNITS[interval];
  const start = startOf(local, unit, weekStart);
  const today = zone.fromLocal(start + DELAY);
  return today > now ? today : zone.fromLocal(shift(start, unit, 1) + DELAY);
}
