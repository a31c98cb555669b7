const exact = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const tiny = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const power = new Intl.NumberFormat('en', { notation: 'scientific', maximumFractionDigits: 2 });

/** Formats a number: `1,234.5`. Numbers that two decimals would round away keep three significant digits, `0.00123`. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-6)) return power.format(value);
  return (size > 0 && size < 0.1 ? tiny : exact).format(value || 0);
}

/** Formats a number compactly: `12.3K`. */
export const shortNumber = (value: number): string =>
  Math.abs(value) < 10_000 || Math.abs(value) >= 1e15 ? formatNumber(value) : short.format(value);

/** Formats a share of 0 to 1: `12.5%`. Rounding never yields 0% or 100%: only exact 0 and 1 do. */
export function percent(share: number): string {
  if (share > 0 && share < 0.0005) return '<0.1%';
  if (share > 0.9995 && share < 1) return '>99.9%';
  return `${(share * 100).toFixed(share === 0 || share === 1 ? 0 : 1)}%`;
}

/** Counts what a picture omits: `+ 1 more row`, `+ 2 more rows`. */
export const more = (count: number, thing: string): string => `+ ${count} more ${thing}${count === 1 ? '' : 's'}`;

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** Formats seconds in their two largest units: `2d 4h`, `1m 30s`, `0.5s`. */
export function formatDuration(seconds: number): string {
  if (seconds < 1) return `${exact.format(seconds)}s`;
  const whole = Math.round(seconds);
  const largest = UNITS.findIndex(([, size]) => whole >= size);
  let rest = whole;
  return UNITS.slice(largest, largest + 2)
    .map(([unit, size]) => {
      const count = Math.floor(rest / size);
      rest -= count * size;
      return count > 0 ? `${count}${unit}` : '';
    })
    .filter(Boolean)
    .join(' ');
}
