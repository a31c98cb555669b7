/** A linear axis: its ends and the distance of its ticks. */
export interface LinearScale {
  low: number;
  high: number;
  step: number;
}

interface ScaleOptions {
  /** Intervals between ticks at most. */
  most: number;
  /** Smallest step, for labels that could not show less. */
  least?: number;
  /** Whether the numbers are seconds: steps are 1, 2, 5, 10, 15, 30 of a unit of time. */
  isTime?: boolean;
}

/** Spans below this are none. */
const SMALLEST = 1e-200;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TIMES = [1, 2, 5, 10, 15, 30]
  .flatMap((count) => [count, count * MINUTE])
  .concat([1, 2, 3, 6, 12].map((count) => count * HOUR));
const STEPS = [...TIMES, DAY].sort((a, b) => a - b);

/** The smallest scale with round ticks that holds all values from `from` to `to`. */
export function niceScale(from: number, to: number, { most, least = 0, isTime = false }: ScaleOptions): LinearScale {
  const span = to - from;
  const size = Math.max(Math.abs(from), Math.abs(to));
  // numbers that are nearly equal cannot be drawn apart
  if (!(span > Math.max(SMALLEST, size * 1e-9))) {
    return niceScale(from, from + Math.max(least, size > SMALLEST ? size : 1), { most: 1, least, isTime });
  }
  for (const step of stepsFrom(span / most, isTime)) {
    if (step < least) continue;
    const [first, last] = [Math.floor(from / step + 1e-9), Math.ceil(to / step - 1e-9)];
    if (last - first <= most) return { low: first * step, high: last * step, step };
  }
  return { low: from, high: to, step: span };
}

/** Round steps, ascending: 1, 2, 2.5, 5 times a power of ten. Numbers of this many powers of ten cannot be further away. */
function* stepsFrom(least: number, isTime: boolean): Generator<number> {
  if (isTime && least > 0.5 && least <= DAY) yield* STEPS.filter((step) => step >= least / 2);
  const unit = isTime && least > DAY / 2 ? DAY : 1;
  const power = Math.floor(Math.log10(least / unit));
  for (let exponent = power; exponent <= power + 3; exponent++) {
    for (const step of [1, 2, 2.5, 5]) yield step * 10 ** exponent * unit;
  }
}

/** The ticks of a scale, from low to high. */
export const ticksOf = ({ low, high, step }: LinearScale): number[] =>
  Array.from({ length: Math.round((high - low) / step) + 1 }, (_, i) => low + i * step);
