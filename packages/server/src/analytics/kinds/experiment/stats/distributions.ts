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

/*
 * The two functions from which the distributions follow. Libraries that have them are either unmaintained and without types,
 * or come as dozens of packages; these are checked against published tables to twelve digits.
 */

const LANCZOS = [
  0.9999999999999971, 57.15623566586292, -59.59796035547549, 14.136097974741746, -0.4919138160976202, 3.399464998481189e-5,
  4.652362892704858e-5, -9.837447530487956e-5, 0.0001580887032249125, -0.00021026444172410488, 0.00021743961811521265,
  -0.0001643181065367639, 8.441822398385275e-5, -2.6190838401581408e-5, 3.6899182659531625e-6,
];
const HALF_LOG_TWO_PI = 0.9189385332046728;

/** The logarithm of the gamma function, for x > 0. */
export function logGamma(x: number): number {
  if (x > 1000) return (x - 0.5) * Math.log(x) - x + HALF_LOG_TWO_PI + (1 / 12 - 1 / (360 * x * x)) / x;
  const base = x + 607 / 128 - 0.5;
  const sum = LANCZOS.reduce((all, coefficient, index) => (index === 0 ? coefficient : all + coefficient / (x - 1 + index)), 0);
  return HALF_LOG_TWO_PI + Math.log(sum) + (x - 0.5) * Math.log(base) - base;
}

const EPSILON = 1e-16;
const TINY = 1e-300;
const MAX_STEPS = 100_000;

/** A continued fraction by Lentz's method: b0 + a1 / (b1 + a2 / (b2 + …)); `term` gives [a, b] from 1 on. */
function continuedFraction(first: number, term: (step: number) => readonly [a: number, b: number]): number {
  let value = first || TINY;
  let c = value;
  let d = 0;
  for (let step = 1; step < MAX_STEPS; step++) {
    const [a, b] = term(step);
    d = 1 / (b + a * d || TINY);
    c = b + a / c || TINY;
    value *= c * d;
    if (Math.abs(c * d - 1) < EPSILON) break;
  }
  return value;
}

/** The density of Beta(a, b) at x, times x (1 - x). */
const betaFront = (x: number, a: number, b: number): number =>
  Math.exp(a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b));

/** The regularised incomplete beta function: the share of Beta(a, b) below x. DLMF 8.17.22 */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const fraction = continuedFraction(1, (step) => {
    const m = Math.floor(step / 2);
    if (step % 2 === 0) return [(m * (b - m) * x) / ((a + step - 1) * (a + step)), 1];
    return [(-(a + m) * (a + b + m) * x) / ((a + step - 1) * (a + step)), 1];
  });
  return betaFront(x, a, b) / (a * fraction);
}

/** The density of Beta(a, b) at x within (0, 1). */
export const betaDensity = (x: number, a: number, b: number): number => betaFront(x, a, b) / (x * (1 - x));

/** The upper regularised incomplete gamma function Q(a, x), exact far into its tail. DLMF 8.11.4, 8.9.2 */
export function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1;
  const front = Math.exp(a * Math.log(x) - x - logGamma(a));
  if (x > a + 1) return front / continuedFraction(x + 1 - a, (step) => [step * (a - step), x + 2 * step + 1 - a]);
  let term = 1 / a;
  let sum = term;
  for (let step = 1; step < MAX_STEPS && term > sum * EPSILON; step++) {
    term *= x / (a + step);
    sum += term;
  }
  return 1 - front * sum;
}
