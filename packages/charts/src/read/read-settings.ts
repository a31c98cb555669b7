import type { Goal } from '../insight.js';
import type { NumberStyle } from '../text/number-style.js';
import { type Fields, fields, maybeNumber, numberOf, text } from './read-fields.js';

const UNITS: Record<string, NumberStyle['unit']> = {
  short: 'short',
  duration: 'seconds',
  duration_ms: 'milliseconds',
  percentage: 'percent',
  percentage_scaled: 'share',
  currency: 'dollars',
};
const MOST_DECIMALS = 10;
const LONGEST_AFFIX = 20;
const MOST_GOALS = 10;

/** Number format of a `trendsFilter`; undefined: the default. */
export function styleOfTrends(filter: Fields): NumberStyle | undefined {
  const unit = UNITS[text(filter['aggregationAxisFormat']) ?? ''];
  const [least, most] = [decimalsOf(filter['minDecimalPlaces']), decimalsOf(filter['decimalPlaces'])];
  const decimals = least === null && most === null ? null : ([least ?? 0, Math.max(least ?? 0, most ?? 2)] as const);
  return styleOf(unit, decimals, filter['aggregationAxisPrefix'], filter['aggregationAxisPostfix']);
}

/** Number format of a column's settings (`formatting`); undefined: the default. */
export function styleOfColumn(settings: unknown): NumberStyle | undefined {
  const { style, decimalPlaces, prefix, suffix } = fields(fields(settings)['formatting']);
  const most = decimalsOf(decimalPlaces);
  // for plain numbers the setting is exact, not a maximum
  const decimals = most === null ? null : ([style === 'number' || style === 'percent' ? 0 : most, most] as const);
  const unit = style === 'percent' || style === 'short' ? style : undefined;
  return styleOf(unit, decimals, prefix, suffix);
}

function styleOf(
  unit: NumberStyle['unit'],
  decimals: readonly [number, number] | null,
  before: unknown,
  after: unknown,
): NumberStyle | undefined {
  const [prefix, suffix] = [before, after].map((affix) => text(affix)?.slice(0, LONGEST_AFFIX));
  const style: NumberStyle = {
    ...(unit ? { unit } : {}),
    ...(decimals ? { decimals } : {}),
    ...(prefix ? { prefix } : {}),
    ...(suffix ? { suffix } : {}),
  };
  return Object.keys(style).length > 0 ? style : undefined;
}

function decimalsOf(value: unknown): number | null {
  const number = maybeNumber(value);
  return number === null ? null : Math.min(MOST_DECIMALS, Math.max(0, Math.round(number)));
}

/** Reads a color as `#rrggbb`. */
export function colorFrom(value: unknown): string | null {
  const digits = /^#([0-9a-f]{6}|[0-9a-f]{3})$/i.exec(text(value) ?? '')?.[1]?.toLowerCase();
  if (!digits) return null;
  return `#${digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits}`;
}

/** Reads `goalLines`. Goals that hide once reached are dropped when a number has reached them. */
export function goalsOf(lines: unknown, numbers: () => readonly number[]): Goal[] {
  return (Array.isArray(lines) ? lines : [])
    .slice(0, MOST_GOALS)
    .map(fields)
    .flatMap(({ label, value, borderColor, displayLabel, displayIfCrossed, position }) => {
      const goal = numberOf(value);
      if (goal === null || (displayIfCrossed === false && numbers().some((one) => one >= goal))) return [];
      const name = displayLabel === false ? '' : (text(label) ?? '');
      return [{ label: name, value: goal, color: colorFrom(borderColor), isAtStart: position === 'start' }];
    });
}
