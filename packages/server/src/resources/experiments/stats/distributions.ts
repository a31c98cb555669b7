import { incompleteBeta, upperGamma } from './special.js';

/** The share of the standard normal distribution below z. */
export function normalCdf(z: number): number {
  if (Math.abs(z) === Number.POSITIVE_INFINITY) return z > 0 ? 1 : 0;
  const tail = upperGamma(0.5, (z * z) / 2) / 2;
  return z > 0 ? 1 - tail : tail;
}

/** The probability of a standard normal value further from 0 than z, on either side. */
export const normalTwoSided = (z: number): number => upperGamma(0.5, (z * z) / 2);

/** The z with a share of `p` below it. */
export const normalQuantile = (p: number): number => quantile(normalCdf, p, -40, 40);

/** The probability of a value of Student's t distribution further from 0 than t, on either side. */
export const studentTwoSided = (t: number, degrees: number): number =>
  incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5);

/** The t > 0 that is exceeded, on either side, with probability `alpha`. */
export const studentCritical = (alpha: number, degrees: number): number =>
  quantile((t) => 1 - studentTwoSided(t, degrees), 1 - alpha, 0, 1e4);

/** The probability of a chi-squared value above x. */
export const chiSquaredAbove = (x: number, degrees: number): number => upperGamma(degrees / 2, x / 2);

/**
 * The point between two bounds where an increasing function reaches p, to ten digits. False position by the Illinois rule needs few
 * steps when the function is smooth; bisection in every fourth step limits their number when it is not.
 */
export function quantile(cdf: (x: number) => number, p: number, from: number, to: number): number {
  let [low, high] = [from, to];
  let [below, above] = [cdf(low) - p, cdf(high) - p];
  let last = 0;
  for (let step = 1; step < 300 && high - low > 1e-10 * Math.max(1e-6, Math.abs(low), Math.abs(high)); step++) {
    const falls = step % 4 !== 0 && below < 0 && above > 0;
    const x = falls ? (low * above - high * below) / (above - below) : (low + high) / 2;
    const value = cdf(x) - p;
    if (value === 0) return x;
    if (value < 0) {
      [low, below] = [x, value];
      if (last < 0) above /= 2;
      last = -1;
    } else {
      [high, above] = [x, value];
      if (last > 0) below /= 2;
      last = 1;
    }
  }
  return (low + high) / 2;
}
