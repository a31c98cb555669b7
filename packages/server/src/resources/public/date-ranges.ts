import { isObject, type JsonObject } from '../../kernel/json.js';
import { applyOverrides, mapInnerQuery } from '../results/index.js';

/** A date range that a visitor may choose, such as `30d`. */
export type DateRange = keyof typeof RANGES;

const INTERVALS = ['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'];

/** `finest` and `coarsest`: the intervals that give a chart between some and some hundred points. */
const RANGES = {
  '7d': { label: '7 days', finest: 'hour', coarsest: 'day' },
  '30d': { label: '30 days', finest: 'day', coarsest: 'week' },
  '90d': { label: '90 days', finest: 'day', coarsest: 'month' },
  '12m': { label: '12 months', finest: 'week', coarsest: 'month' },
};

export const DATE_RANGES = Object.entries(RANGES).map(([range, { label }]) => ({ range, label }));

/** The range that the parameter of an address names; null: none of the list. */
export const readDateRange = (text: unknown): DateRange | null =>
  typeof text === 'string' && Object.hasOwn(RANGES, text) ? (text as DateRange) : null;

/** Queries with an interval; `day` is its default. */
const WITH_INTERVAL: ReadonlySet<unknown> = new Set(['TrendsQuery', 'FunnelsQuery', 'StickinessQuery', 'LifecycleQuery']);

/** The query with another date range. Its interval follows: a year by hours would be 8,760 points, a week by months a single one. */
export function withRange(query: JsonObject, range: DateRange | null): JsonObject {
  if (range === null) return query;
  const dated = applyOverrides(query, { filters: { date_from: `-${range}` }, variables: {} });
  return mapInnerQuery(dated, (inner) => {
    if (!isObject(inner) || !WITH_INTERVAL.has(inner['kind'])) return inner;
    return { ...inner, interval: intervalWithin(range, inner['interval']) };
  });
}

function intervalWithin(range: DateRange, interval: unknown): string {
  const [finest, own, coarsest] = [RANGES[range].finest, interval, RANGES[range].coarsest].map((name) =>
    INTERVALS.indexOf(typeof name === 'string' ? name : ''),
  ) as [number, number, number];
  const wanted = own < 0 ? INTERVALS.indexOf('day') : own;
  return INTERVALS[Math.min(coarsest, Math.max(finest, wanted))] ?? 'day';
}
