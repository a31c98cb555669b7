import type { Condition, Threshold } from './schema.js';

/** A line of the result: its number in the period that is checked, and in the one before. */
export interface Line {
  label: string;
  current: number;
  previous: number;
  /** When that was, as the end of a sentence. */
  period: string;
}

/** What a check found. */
export interface Verdict {
  isFiring: boolean;
  /** What was compared with the bounds; null: it is not finite. */
  value: number | null;
  /** A sentence. */
  message: string;
}

interface Rules {
  condition: Condition;
  threshold: Threshold;
}

/** Compares lines with the bounds. One line out of bounds is enough; the verdict is about the one that is furthest out. */
export function judge(rules: Rules, lines: readonly Line[]): Verdict {
  const { lower, upper } = rules.threshold.configuration.bounds;
  const measured = lines.map((line) => {
    const value = measure(rules, line);
    return { line, value, distance: distanceOf(value, lower, upper) };
  });
  const out = measured.filter(({ distance }) => distance > 0).sort((a, b) => b.distance - a.distance);
  const [first] = out.length > 0 ? out : measured;
  if (!first) throw new Error('There is no line to judge.');
  const { line, value } = first;
  const others = out.length - 1;
  const more = others > 0 ? ` ${others === 1 ? 'One more line is' : `${others} more lines are`} out of bounds.` : '';
  return {
    isFiring: out.length > 0,
    value: Number.isFinite(value) ? value : null,
    message: `${finding(rules, line)}, ${comparison(rules, value)}.${more}`,
  };
}

/** How far a value is out of the bounds; 0: it is within. A value that is no number is within no bounds, so that it does not hide. */
function distanceOf(value: number, lower: number | null, upper: number | null): number {
  if (Number.isNaN(value)) return Number.MIN_VALUE;
  if (upper !== null && value > upper) return value - upper;
  return lower !== null && value < lower ? lower - value : 0;
}

const isShare = ({ condition, threshold }: Rules): boolean =>
  condition.type !== 'absolute_value' && threshold.configuration.type === 'percentage';

/** The number of a line that is compared with the bounds. From 0 every rise is infinite by percentage. */
function measure(rules: Rules, { current, previous }: Line): number {
  const { type } = rules.condition;
  if (type === 'absolute_value') return current;
  const change = type === 'relative_increase' ? current - previous : previous - current;
  if (!isShare(rules) || change === 0) return change;
  return change / Math.abs(previous);
}

const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
const PERCENT = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 2 });

const shown = (rules: Rules, value: number): string => (isShare(rules) ? PERCENT : NUMBER).format(value);

/** `"Sign-ups" was 12 on 2026-03-28`, `"Sign-ups" rose by 20% on 2026-03-28 (from 10 to 12)` */
function finding(rules: Rules, { label, current, previous, period }: Line): string {
  const name = `"${label}"`;
  if (rules.condition.type === 'absolute_value') return `${name} was ${NUMBER.format(current)} ${period}`;
  const change = current - previous;
  const numbers = `(from ${NUMBER.format(previous)} to ${NUMBER.format(current)})`;
  if (change === 0) return `${name} did not change ${period} ${numbers}`;
  const by = isShare(rules) && previous === 0 ? '' : ` by ${shown(rules, Math.abs(isShare(rules) ? change / previous : change))}`;
  return `${name} ${change > 0 ? 'rose' : 'fell'}${by} ${period} ${numbers}`;
}

function comparison(rules: Rules, value: number): string {
  const { lower, upper } = rules.threshold.configuration.bounds;
  const noun = { absolute_value: '', relative_increase: ' of the rise', relative_decrease: ' of the fall' }[rules.condition.type];
  if (upper !== null && value > upper) return `above the upper bound${noun} of ${shown(rules, upper)}`;
  if (lower !== null && value < lower) return `below the lower bound${noun} of ${shown(rules, lower)}`;
  return Number.isNaN(value) ? 'which is no number' : 'within the bounds';
}
