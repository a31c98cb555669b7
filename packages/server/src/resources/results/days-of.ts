import { isObject, type JsonObject } from '../../kernel/json.js';
import { innerQuery } from './wrapped.js';

/** Which days a query shows, for people. */
export function daysOf(query: JsonObject): string {
  const { dateRange } = innerQuery(query);
  if (!isObject(dateRange)) return '';
  const { date_from: from, date_to: to } = dateRange;
  const last = typeof from === 'string' ? /^-(\d+)([hdwmy])$/.exec(from) : null;
  const units: Record<string, string> = { h: 'hours', d: 'days', w: 'weeks', m: 'months', y: 'years' };
  if (from === 'all') return 'All time';
  if (last && !to) return `Last ${last[1]} ${units[last[2] ?? 'd']}`;
  return [from, to].some((one) => typeof one === 'string') ? `${from ?? '…'} – ${to ?? 'now'}` : '';
}
