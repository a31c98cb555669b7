import { formatDuration, formatNumber, formatPower, shortNumber } from './format-number.js';

/** Number format of a series or column. */
export interface NumberStyle {
  /** `share`: 0 to 1, shown as a percentage. Absent: plain numbers. */
  unit?: undefined | 'short' | 'percent' | 'share' | 'seconds' | 'milliseconds' | 'dollars';
  /** Minimal and maximal decimals; default: those of {@link formatNumber}. */
  decimals?: readonly [least: number, most: number];
  prefix?: string;
  suffix?: string;
}

/** Formats a number: `$1,234.50`, `12.5%`, `1m 30s`. */
export const written = (value: number, style: NumberStyle = {}): string => affixed(value, style, plain);

/** Formats a number compactly, without trailing zeros: `12.3K users`. */
export function writtenShort(value: number, { decimals, ...style }: NumberStyle = {}): string {
  const short: NumberStyle = decimals ? { ...style, decimals: [0, decimals[1]] } : style;
  return affixed(value, short, (size, needed) => (size < 10_000 ? plain(size, needed) : shortNumber(size)));
}

/** Suffixes of large numbers on an axis, and the number from which all of its numbers have them. */
const SCALES = [
  ['T', 1e12, 1e12],
  ['B', 1e9, 1e9],
  ['M', 1e6, 1e6],
  ['K', 1e3, 1e4],
] as const;
/** From here on, and below its inverse, axes have powers of ten. */
const HUGE = 1e15;
const MOST_DECIMALS = 9;

/**
 * A function that formats the ticks of one axis, all in one form: below 10,000 in full, above it all in thousands or millions, with as
 * many decimals as their distance needs.
 *
 * @example [0, 10_000, 20_000].map(axisWriter([0, 10_000, 20_000], { unit: 'dollars' })) // $0, $10K, $20K
 */
export function axisWriter(ticks: readonly number[], { decimals, ...style }: NumberStyle = {}): (value: number) => string {
  const factor = style.unit === 'share' ? 100 : 1;
  const most = Math.max(...ticks.map(Math.abs)) * factor;
  const step = Math.min(...ticks.slice(1).map((tick, i) => Math.abs(tick - (ticks[i] ?? 0)))) * factor;
  const [letter, unit] = most < HUGE ? (SCALES.find(([, , from]) => most >= from) ?? ['', 1]) : ['', 1];
  const needed = Number.isFinite(step) && step > 0 ? decimalsOf(step / unit) : (decimals?.[1] ?? 2);
  const format = new Intl.NumberFormat('en', { maximumFractionDigits: Math.min(needed, MOST_DECIMALS) });
  const write = (size: number) =>
    size === 0 ? '0' : most >= HUGE || needed > MOST_DECIMALS ? formatPower(size) : `${format.format(size / unit)}${letter}`;
  return (value) => affixed(value, style.unit === 'short' ? { ...style, unit: undefined } : style, write);
}

/** How many decimals a step has, up to three significant digits: 0.25 has two. */
function decimalsOf(step: number): number {
  const first = Math.max(0, -Math.floor(Math.log10(step)));
  for (let decimals = first; decimals < first + 2; decimals++) {
    const scaled = step * 10 ** decimals;
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6 * scaled) return decimals;
  }
  return first + 2;
}

function affixed(value: number, { unit, decimals, prefix = '', suffix = '' }: NumberStyle, write: typeof plain): string {
  const size = Math.abs(value);
  const text = () => {
    switch (unit) {
      case 'percent':
        return `${write(size, decimals)}%`;
      case 'share':
        return `${write(size * 100, decimals)}%`;
      case 'seconds':
        return formatDuration(size);
      case 'milliseconds':
        return formatDuration(size / 1000);
      case 'dollars':
        return `$${write(size, decimals)}`;
      case 'short':
        return shortNumber(size);
      default:
        return write(size, decimals);
    }
  };
  const shown = text();
  // no minus sign for what rounds to zero
  return `${value < 0 && /[1-9]/.test(shown) ? '−' : ''}${prefix}${shown}${suffix}`;
}

/** `size`: not negative. */
function plain(size: number, decimals: NumberStyle['decimals']): string {
  if (!decimals || size >= 1e15) return formatNumber(size);
  const [minimumFractionDigits, maximumFractionDigits] = decimals;
  return new Intl.NumberFormat('en', { minimumFractionDigits, maximumFractionDigits }).format(size);
}
