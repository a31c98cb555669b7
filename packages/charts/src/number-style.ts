import { formatDuration, formatNumber, shortNumber } from './format-number.js';

/** Number format of a series or column. */
export interface NumberStyle {
  /** `share`: 0 to 1, shown as a percentage. Absent: plain numbers. */
  unit?: 'short' | 'percent' | 'share' | 'seconds' | 'milliseconds' | 'dollars';
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
  return `${value < 0 && /[1-9]/.test(shown) ? '-' : ''}${prefix}${shown}${suffix}`;
}

/** `size`: not negative. */
function plain(size: number, decimals: NumberStyle['decimals']): string {
  if (!decimals || size >= 1e15) return formatNumber(size);
  const [minimumFractionDigits, maximumFractionDigits] = decimals;
  return new Intl.NumberFormat('en', { minimumFractionDigits, maximumFractionDigits }).format(size);
}
