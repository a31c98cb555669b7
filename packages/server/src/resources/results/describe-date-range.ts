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
  if (![from, to].some((one) => typeof one === 'string')) return '';
  const [first, end] = [boundText(from) ?? '…', boundText(to) ?? 'now'];
  return first === end ? first : `${first} to ${end}`;
}

const AGO: Readonly<Record<string, string>> = { h: 'hour', d: 'day', w: 'week', m: 'month', y: 'year', q: 'quarter' };
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** One end of a range in words: `3 days ago`, `1 May 2026`, `start of this month`. Null: none. */
function boundText(bound: unknown): string | null {
  if (typeof bound !== 'string') return null;
  const ago = /^-(\d+)([hdwmyq])$/.exec(bound);
  if (ago) {
    const [, count, letter = 'd'] = ago;
    if (letter === 'd' && Number(count) < 2) return count === '0' ? 'today' : 'yesterday';
    return `${count} ${AGO[letter]}${count === '1' ? '' : 's'} ago`;
  }
  const start = /^([dwmqy])Start$/.exec(bound);
  if (start) return start[1] === 'd' ? 'today' : `start of this ${AGO[start[1] ?? '']}`;
  const date = /^(\d{4})-(\d\d)-(\d\d)(?:$|[T ])/.exec(bound);
  const month = MONTHS[Number(date?.[2]) - 1];
  return date && month ? `${Number(date[3])} ${month} ${date[1]}` : bound;
}
