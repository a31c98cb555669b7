import { isObject, type JsonObject } from '../../kernel/json.js';
import { unwrapQuery } from './query-overrides.js';

/** Names of ranges that end now, by `date_from`. */
const NAMED: ReadonlyMap<unknown, string> = new Map([
  ['all', 'All time'],
  ['-0d', 'Today'],
  ['dStart', 'Today'],
  ['-1d', 'Since yesterday'],
  ['wStart', 'This week'],
  ['mStart', 'This month'],
  ['qStart', 'This quarter'],
  ['yStart', 'This year'],
]);

/** Describes the date range of a query in words: `Last 7 days`. */
export function describeDateRange(query: JsonObject): string {
  const { dateRange } = unwrapQuery(query);
  if (!isObject(dateRange)) return '';
  const { date_from: from, date_to: to } = dateRange;
  const last = typeof from === 'string' ? /^-(\d+)([hdwmy])$/.exec(from) : null;
  const units: Record<string, string> = { h: 'hours', d: 'days', w: 'weeks', m: 'months', y: 'years' };
  const named = to ? undefined : NAMED.get(from);
  if (named) return named;
  if (last && !to) return `Last ${last[1]} ${units[last[2] ?? 'd']}`;
  return [from, to].some((one) => typeof one === 'string') ? `${from ?? '…'} – ${to ?? 'now'}` : '';
}
