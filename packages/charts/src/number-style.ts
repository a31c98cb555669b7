import { formatDuration, formatNumber, shortNumber } from './format-number.js';

/** How the numbers of a series or of a column are written. */
export interface NumberStyle {
  /** What they are; `share`: of 1, written in percent. Left out: plain numbers. */
  unit?: 'short' | 'percent' | 'share' | 'seconds' | 'milliseconds' | 'dollars';
  /** Decimals, at least and at most; left out: as {@link formatNumber} has them. */
  decimals?: readonly [least: number, most: number];
  prefix?: string;
  suffix?: string;
}

/** A number in its style: `$1,234.50`, `12.5%`, `1m 30s`. */
export const written = (value: number, style: NumberStyle = {}): string => affixed(value, style, plain);

/** The same where there is little room, without decimals that say nothing: `12.3K users`. */
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
  // what is rounded to nothing has no sign
  return `${value < 0 && /[1-9]/.test(shown) ? '-' : ''}${prefix}${shown}${suffix}`;
}

/** `size`: not negative. */
function plain(size: number, decimals: NumberStyle['decimals']): string {
  if (!decimals || size >= 1e15) return formatNumber(size);
  const [minimumFractionDigits, maximumFractionDigits] = decimals;
  return new Intl.NumberFormat('en', { minimumFractionDigits, maximumFractionDigits }).format(size);
}
