import type { Experiment } from './experiments.js';

const DAY_MS = 86_400_000;

/** Days that an experiment has run, the first of them being day 1; null: it has not started. @param now epoch milliseconds */
export function daysRunning(
  { start_date: start, end_date: end }: Pick<Experiment, 'start_date' | 'end_date'>,
  now: number,
): number | null {
  if (start === null) return null;
  const until = end === null ? now : Math.min(now, Date.parse(end));
  return Math.max(1, Math.ceil((until - Date.parse(start)) / DAY_MS));
}

/** The uuids of the metrics that must not get worse. */
export const guardsOf = ({ metrics_secondary: others }: Pick<Experiment, 'metrics_secondary'>): ReadonlySet<string> =>
  new Set(others.flatMap(({ uuid, is_guard }) => (is_guard === true && typeof uuid === 'string' ? [uuid] : [])));

/** What was concluded, in words. */
export const CONCLUSIONS = {
  won: 'Won',
  lost: 'Lost',
  inconclusive: 'No clear result',
  stopped_early: 'Stopped early',
  invalid: 'Invalid',
} as const;

export const conclusionText = (conclusion: string | null): string | null =>
  conclusion === null ? null : (CONCLUSIONS[conclusion as keyof typeof CONCLUSIONS] ?? conclusion);

export const STATUS_TEXTS = { draft: 'Draft', running: 'Running', paused: 'Paused', complete: 'Ended' } as const;
export const STATUS_KINDS = { draft: 'neutral', running: 'good', paused: 'warn', complete: 'neutral' } as const;
