const exact = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** A number for people: `1,234.5`. */
export const formatNumber = (value: number): string => exact.format(value);

/** A number where there is little room: `1.2K`. */
export const shortNumber = (value: number): string => (Math.abs(value) < 10_000 ? exact.format(value) : short.format(value));

/** A share of 0 to 1: `12.5%`. */
export const percent = (share: number): string => `${(share * 100).toFixed(share === 0 || share === 1 ? 0 : 1)}%`;

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** Seconds as people say them, in the two largest units: `2d 4h`, `1m 30s`, `0.5s`. */
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
