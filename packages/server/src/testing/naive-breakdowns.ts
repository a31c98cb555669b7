import { BREAKDOWN_NULL, BREAKDOWN_OTHER } from '../analytics/breakdown.js';
import type { EventRow } from '../ports/events.js';
import { type NaiveBucket, type NaiveSeries, naiveNumber } from './naive-trends.js';
import type { SeededData } from './seeded-events.js';

/*
 * The values of a breakdown, ranked as plainly as possible: what the engine's answers are compared with.
 */

export interface NaiveBreakdown {
  /** The values of an event, one for each property. */
  keysOf: (row: EventRow) => string[];
  limit: number;
  hideOther: boolean;
}

/** The numbers of one series by the texts of values. */
export type NaiveLines = Map<string, number[]>;

/** How values are written as one text; those beyond the limit have one together. */
export const keysText = (keys: readonly string[]): string =>
  keys.includes(BREAKDOWN_OTHER) ? BREAKDOWN_OTHER : JSON.stringify(keys);

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/**
 * The numbers of series that show the same values: those with the largest sums over all of them; of equal sums those with a value before those
 * without, and then in the order of the alphabet. All other events are "other". Lines of nothing but zeros are left out.
 */
export function naiveBreakdown(
  data: SeededData,
  series: readonly NaiveSeries[],
  { keysOf, limit, hideOther }: NaiveBreakdown,
  buckets: readonly NaiveBucket[],
  zone: string,
): NaiveLines[] {
  const texts = new Map(data.events.map((row) => [row, keysText(keysOf(row))]));
  const numbers = (one: NaiveSeries, fits: (keys: string) => boolean) =>
    buckets.map((bucket) => naiveNumber(data, one, bucket, zone, (row) => fits(texts.get(row) ?? '')));
  const values = [...new Set(texts.values())].map((keys) => {
    const lines = series.map((one) => numbers(one, (own) => own === keys));
    return { keys, lines, score: sum(lines.map(sum)) };
  });
  const ranked = values.sort(
    (one, other) =>
      other.score - one.score ||
      Number(one.keys.includes(BREAKDOWN_NULL)) - Number(other.keys.includes(BREAKDOWN_NULL)) ||
      Buffer.compare(Buffer.from(one.keys), Buffer.from(other.keys)),
  );
  const shown = ranked.slice(0, limit);
  return series.map((one, index) => {
    const lines = shown.map(({ keys, lines }) => [keys, lines[index] ?? []] as const);
    const rest = numbers(one, (own) => !shown.some(({ keys }) => keys === own));
    const all = [...lines, ...(hideOther ? [] : [[BREAKDOWN_OTHER, rest] as const])];
    return new Map(all.filter(([, line]) => line.some((value) => value !== 0)));
  });
}
