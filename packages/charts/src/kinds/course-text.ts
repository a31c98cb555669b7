import { bucketText, dateText, momentOf, unitOf } from '../axes/calendar-ticks.js';
import type { Course } from '../insight.js';
import { type NumberStyle, written } from '../text/number-style.js';

/** What a sparkline shows: `By day from 24 Oct to 22 Nov 2026: lowest 12, highest 340, dashed: not over yet`. */
export function courseText({ days, data, unfinished = 0 }: Course, style: NumberStyle | undefined): string {
  const complete = data.slice(0, Math.max(1, data.length - unfinished));
  const [low, high] = [Math.min(...complete), Math.max(...complete)].map((value) => written(value, style));
  const open = unfinished > 0 ? ', the dashed part is not over yet' : '';
  return `${spanText(days)}: lowest ${low}, highest ${high}${open}`;
}

/** When a course begins and ends, and how long each of its periods is. */
function spanText(days: readonly string[]): string {
  if (days.length === 0) return 'Over time';
  const moments = days.map(momentOf);
  const [first, last] = [moments[0], moments.at(-1)];
  if (!first || !last || moments.some((moment) => moment === null)) return `From ${days[0]} to ${days.at(-1)}`;
  const unit = unitOf(moments.filter((moment) => moment !== null));
  const [from, to] =
    unit === 'hour' || unit === 'minute'
      ? [bucketText(first, unit), bucketText(last, unit)]
      : [dateText(first, unit, first.year !== last.year), dateText(last, unit, true)];
  return `By ${unit} from ${from} to ${to}`;
}
