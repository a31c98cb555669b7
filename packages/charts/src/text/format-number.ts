const exact = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const tiny = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const power = new Intl.NumberFormat('en', { notation: 'scientific', maximumFractionDigits: 2 });

/** Formats a number by powers of ten: `1.5E18`. */
export const formatPower = (value: number): string => withMinus(power.format(value));

/** Formats a number: `1,234.5`. Numbers that two decimals would round away keep three significant digits, `0.00123`. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-6)) return formatPower(value);
  return withMinus((size > 0 && size < 0.1 ? tiny : exact).format(value || 0));
}

/** Formats a number compactly: `12.3K`. */
export const shortNumber = (value: number): string =>
  Math.abs(value) < 10_000 || Math.abs(value) >= 1e15 ? formatNumber(value) : withMinus(short.format(value));

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Formats a share of 0 to 1: `12.5%`. Rounding never yields 0% or 100%: only exact 0 and 1 do. */
export function percent(share: number): string {
  if (share > 0 && share < 0.0005) return '<0.1%';
  if (share > 0.9995 && share < 1) return '>99.9%';
  return withMinus(`${(share === 0 || share === 1 ? whole : tenths).format(share * 100)}%`);
}

/** Formats a change as a share: `+12.5%`. */
export const signedPercent = (change: number): string =>
  `${change > 0 ? '+' : ''}${change < 0 ? '−' : ''}${percent(Math.abs(change))}`;

/** Counts what a picture omits: `+ 1 more row`, `+ 2 more rows`. */
export const more = (count: number, thing: string): string => `+ ${count} more ${thing}${count === 1 ? '' : 's'}`;

/** Replaces the hyphen in front of a negative number by a minus sign. */
export const withMinus = (text: string): string => text.replace(/^-/, '−');

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

const digits = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** Formats seconds (not negative): three digits below a minute, above it the two largest units: `320ms`, `1.81s`, `1m 30s`, `2d 4h`. */
export function formatDuration(seconds: number): string {
  if (seconds === 0) return '0s';
  if (seconds < 0.9995) return `${digits.format(seconds * 1000)}ms`;
  if (seconds < 59.95) return `${digits.format(seconds)}s`;
  for (const [i, [unit, size]] of UNITS.entries()) {
    const [small, smallSize] = UNITS[i + 1] ?? ['s', 1];
    const count = Math.round(seconds / smallSize);
    const [whole, rest] = [Math.floor((count * smallSize) / size), count % Math.round(size / smallSize)];
    if (whole > 0)
      return rest > 0 && whole < 10_000 ? `${formatNumber(whole)}${unit} ${rest}${small}` : `${shortNumber(whole)}${unit}`;
  }
  return `${digits.format(seconds)}s`;
}
