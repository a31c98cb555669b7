/** A range of days as the API writes it: `-30d`, `dStart`, `2026-11-01`; an absent end is now. */
export interface DateRange {
  from: string;
  to: string | null;
}

export const DEFAULT_RANGE: DateRange = { from: '-30d', to: null };

/** The ranges of the menu, in its order. `key` selects one while the menu is open. */
export const RANGE_PRESETS: readonly { key: string; label: string; range: DateRange }[] = [
  { key: 'T', label: 'Today', range: { from: 'dStart', to: null } },
  { key: 'Y', label: 'Yesterday', range: { from: '-1dStart', to: '-1dEnd' } },
  { key: '1', label: 'Last 24 hours', range: { from: '-24h', to: null } },
  { key: '7', label: 'Last 7 days', range: { from: '-7d', to: null } },
  { key: '2', label: 'Last 14 days', range: { from: '-14d', to: null } },
  { key: '3', label: 'Last 30 days', range: { from: '-30d', to: null } },
  { key: '9', label: 'Last 90 days', range: { from: '-90d', to: null } },
  { key: 'M', label: 'This month', range: { from: 'mStart', to: null } },
  { key: 'L', label: 'Last month', range: { from: '-1mStart', to: '-1mEnd' } },
  { key: 'Q', label: 'Last 180 days', range: { from: '-180d', to: null } },
  { key: 'R', label: 'This year', range: { from: 'yStart', to: null } },
  { key: 'A', label: 'All time', range: { from: 'all', to: null } },
];

/** Reads `from` and `to` of an address. */
export const rangeOf = (search: { from?: string | undefined; to?: string | undefined }): DateRange =>
  search.from ? { from: search.from, to: search.to ?? null } : DEFAULT_RANGE;

/** The name of a range: its preset, or its days. */
export function rangeLabel({ from, to }: DateRange): string {
  const preset = RANGE_PRESETS.find(({ range }) => range.from === from && range.to === to);
  return preset?.label ?? (to === null ? `Since ${endText(from)}` : `${endText(from)} to ${endText(to)}`);
}

const UNITS: Record<string, string> = { h: 'hour', d: 'day', w: 'week', m: 'month', q: 'quarter', y: 'year' };

/** An end of a range in words: `-30d` is "30 days ago"; a date stays. */
function endText(end: string): string {
  const [, count, unit = ''] = /^-(\d+)([hdwmqy])$/.exec(end) ?? [];
  const name = UNITS[unit];
  if (count === undefined || name === undefined) return end;
  if (unit === 'd' && count === '1') return 'yesterday';
  return `${count} ${name}${count === '1' ? '' : 's'} ago`;
}
