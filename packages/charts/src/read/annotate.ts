import { momentOf } from '../axes/calendar-ticks.js';
import type { Insight } from '../insight.js';

const DAY_MS = 86_400_000;

/** Something that happened. */
export interface Happening {
  /** Epoch milliseconds. */
  at: number;
  text: string;
}

/**
 * Puts what happened at the buckets of a chart over time. Other insights, and what happened outside their time, are left out.
 * @param toLocal the time that clocks of the project show at an instant; milliseconds, as if its zone were UTC
 */
export function annotate(insight: Insight, happenings: readonly Happening[], toLocal: (at: number) => number): Insight {
  if (insight.kind !== 'series' || insight.over !== undefined || insight.days.length === 0) return insight;
  const starts = insight.days.map((day) => momentOf(day)?.at ?? Number.NaN);
  if (starts.some(Number.isNaN)) return insight;
  const [last = 0, before = last - DAY_MS] = [starts.at(-1), starts.at(-2)];
  const end = last + (last - before);
  const first = starts[0] ?? 0;
  const annotations = happenings.flatMap(({ at, text }) => {
    // no zone is further than a day from UTC, and reading a clock costs time
    if (at < first - DAY_MS || at > end + DAY_MS) return [];
    const local = toLocal(at);
    const place = local < end ? starts.findLastIndex((start) => start <= local) : -1;
    return place < 0 ? [] : [{ place, text }];
  });
  return annotations.length > 0 ? { ...insight, annotations } : insight;
}
