import { chiSquaredAbove, normalQuantile, normalTwoSided, studentCritical, studentTwoSided } from './distributions.js';

/** The data of one variant: the mean of `n` values and their sample variance. */
export interface Sample {
  n: number;
  mean: number;
  variance: number;
}

/** The result of a two-sided test. */
export interface Significance {
  statistic: number;
  pValue: number;
  /** Confidence interval of the second minus the first. */
  interval: readonly [low: number, high: number];
}

/** Welch's t test of two means; null when a sample has fewer than two values, or neither has a variance. */
export function welch(first: Sample, second: Sample, confidence: number): (Significance & { degrees: number }) | null {
  if (first.n < 2 || second.n < 2) return null;
  const a = first.variance / first.n;
  const b = second.variance / second.n;
  const error = Math.sqrt(a + b);
  if (!(error > 0)) return null;
  const degrees = (a + b) ** 2 / (a ** 2 / (first.n - 1) + b ** 2 / (second.n - 1));
  const difference = second.mean - first.mean;
  const reach = studentCritical(1 - confidence, degrees) * error;
  return {
    statistic: difference / error,
    degrees,
    pValue: studentTwoSided(difference / error, degrees),
    interval: [difference - reach, difference + reach],
  };
}

/** `hits` of `n` persons. */
export interface Share {
  hits: number;
  n: number;
}

/** The two-proportion z test with pooled variance; null when a sample is empty, or all values are equal. */
export function twoProportions(first: Share, second: Share, confidence: number): Significance | null {
  if (first.n === 0 || second.n === 0) return null;
  const [p, q] = [first.hits / first.n, second.hits / second.n];
  const pooled = (first.hits + second.hits) / (first.n + second.n);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / first.n + 1 / second.n));
  if (!(error > 0)) return null;
  const reach = normalQuantile(1 - (1 - confidence) / 2) * Math.sqrt((p * (1 - p)) / first.n + (q * (1 - q)) / second.n);
  const statistic = (q - p) / error;
  return { statistic, pValue: normalTwoSided(statistic), interval: [q - p - reach, q - p + reach] };
}

/** Pearson's chi-squared test of counts against shares; null when there is nothing to test. */
export function goodnessOfFit(
  counts: readonly number[],
  shares: readonly number[],
): { statistic: number; pValue: number } | null {
  const whole = sum(shares);
  const total = sum(counts);
  const cells = counts.map((count, index) => ({ count, expected: (total * (shares[index] ?? 0)) / whole }));
  if (cells.length < 2 || total === 0 || cells.some(({ expected }) => !(expected > 0))) return null;
  const statistic = sum(cells.map(({ count, expected }) => (count - expected) ** 2 / expected));
  return { statistic, pValue: chiSquaredAbove(statistic, cells.length - 1) };
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

const quantiles = (alpha: number, power: number) => [normalQuantile(1 - alpha / 2), normalQuantile(power)] as const;

/** Sample size of each of two variants to detect a difference of the shares p and q (two-sided, normal approximation); not rounded. */
export function sizeForShares(p: number, q: number, { alpha, power }: TestPlan): number {
  const [a, b] = quantiles(alpha, power);
  const middle = (p + q) / 2;
  const spread = a * Math.sqrt(2 * middle * (1 - middle)) + b * Math.sqrt(p * (1 - p) + q * (1 - q));
  return (spread / (p - q)) ** 2;
}

/** Sample size of each of two variants to detect a difference of means, given the variance of single values; not rounded. */
export function sizeForMeans(difference: number, variance: number, { alpha, power }: TestPlan): number {
  const [a, b] = quantiles(alpha, power);
  return (2 * variance * (a + b) ** 2) / difference ** 2;
}

/** The error rates of a planned test. */
interface TestPlan {
  /** Probability of a significant result when there is no difference. */
  alpha: number;
  /** Probability of a significant result when there is the difference. */
  power: number;
}
