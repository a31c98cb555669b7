import { Cron } from 'croner';
import type { ScheduleKind } from './kinds.js';

type Times = Pick<ScheduleKind, 'every'>;

/** Time of the next run of a schedule whose run ends at `now`; epoch milliseconds. */
export function nextRun({ every }: Times, now: number): number {
  if (typeof every === 'number') return now + every;
  const next = new Cron(every, { timezone: 'UTC' }).nextRun(new Date(now));
  if (!next) throw new Error(`The cron pattern "${every}" never comes true.`);
  return next.getTime();
}

/** Longest pause after failed runs, for schedules with a shorter period; milliseconds. */
const LONGEST_PAUSE_MS = 30_000;

/** Time of the next run after `failures` failed runs; epoch milliseconds. The pause grows by a period with each, up to half a minute. */
export function nextTry({ every }: Times, now: number, failures: number): number {
  const period = typeof every === 'number' ? every : LONGEST_PAUSE_MS;
  return now + Math.min(period * failures, Math.max(period, LONGEST_PAUSE_MS));
}

/** Longest time between two runs of a schedule; milliseconds. */
export function longestWait(schedule: Times, now: number): number {
  const next = nextRun(schedule, now);
  return 2 * (nextRun(schedule, next) - now) + LONGEST_PAUSE_MS;
}
