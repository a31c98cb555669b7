import type { Survey } from '@tidemark/wire';

const DAY_MS = 86_400_000;

/** The recurrence of a survey. */
export interface Recurring {
  schedule: Survey['schedule'];
  iteration_count: number | null;
  iteration_frequency_days: number | null;
  start_date: Date | null;
}

/** When the iterations of a recurring survey begin, in order; null: it has none, or no start yet. */
export function iterationStarts({
  schedule,
  iteration_count: count,
  iteration_frequency_days: days,
  start_date: start,
}: Recurring): Date[] | null {
  if (schedule !== 'recurring' || !count || !days || !start) return null;
  return Array.from({ length: count }, (_, index) => new Date(start.getTime() + index * days * DAY_MS));
}

/** The iteration at a time (epoch milliseconds), counted from 1, and when it began. The last one lasts until the survey ends. */
export function iterationAt(survey: Recurring, now: number): { current: number; start: Date } | null {
  const starts = (iterationStarts(survey) ?? []).filter((start) => start.getTime() <= now);
  const start = starts.at(-1);
  return start ? { current: starts.length, start } : null;
}
