import { normalQuantile } from './distributions.js';

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

/** How sure the test shall be. */
/** The error rates of a planned test. */
export interface TestPlan {
  /** Probability of a significant result when there is no difference. */
  alpha: number;
  /** Probability of a significant result when there is the difference. */
  power: number;
}
