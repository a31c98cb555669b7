import { betaDensity, incompleteBeta, normalCdf, quantile } from './distributions.js';
import type { Sample, Share } from './significance.js';

/** The posterior distribution of the second variant compared with the first. */
export interface Posterior {
  /** The probability that the second is greater. */
  greater: number;
  /** The central interval of second / first - 1 at the requested probability; null where the first may be 0 or less. */
  interval: readonly [low: number, high: number] | null;
}

/**
 * Of two shares, each with the prior Beta(1, 1): every share as likely as any other. Computed by quadrature, not by drawing, so
 * that the same data gives the same answer.
 */
export function betaPosterior(first: Share, second: Share, probability: number): Posterior {
  const [a, b] = [first.hits + 1, first.n - first.hits + 1];
  const [c, d] = [second.hits + 1, second.n - second.hits + 1];
  const own = grid(a, b);
  const other = grid(c, d);
  /** The probability that second / first is at most `ratio`: an integral over the first, cut where either density changes. */
  const below = (ratio: number): number => {
    const cuts = [...own, ...other.map((x) => x / ratio).filter((x) => x > (own[0] ?? 0) && x < (own.at(-1) ?? 1))];
    return integral(cuts, (x) => betaDensity(x, a, b) * incompleteBeta(ratio * x, c, d));
  };
  const tail = (1 - probability) / 2;
  // the logarithm of the ratio is close to a normal distribution around this middle
  const middle = Math.log((c / (c + d)) * ((a + b) / a));
  const reach = 12 * Math.hypot(Math.sqrt(b / (a * (a + b + 1))), Math.sqrt(d / (c * (c + d + 1))));
  const bound = (p: number): number => Math.expm1(quantile((log) => below(Math.exp(log)), p, middle - reach, middle + reach));
  return { greater: 1 - below(1), interval: [bound(tail), bound(1 - tail)] };
}

/** Of two means whose likelihood is normal with the variance seen, each with a flat prior: N(mean, variance / n). */
export function normalPosterior(first: Sample, second: Sample, probability: number): Posterior | null {
  if (first.n < 2 || second.n < 2) return null;
  const a = first.variance / first.n;
  const b = second.variance / second.n;
  if (!(a + b > 0)) return null;
  const below = (ratio: number): number => normalCdf((ratio * first.mean - second.mean) / Math.sqrt(b + ratio ** 2 * a));
  const tail = (1 - probability) / 2;
  // the ratio has an interval only when the first mean is above 0 with near certainty (Fieller)
  const isAboveZero = first.mean > 0 && normalCdf(-first.mean / Math.sqrt(a)) < Math.min(1e-4, tail / 2);
  const reach = 1e6 * Math.max(1, Math.abs(second.mean / first.mean));
  const bound = (p: number): number => quantile(below, p, -reach, reach) - 1;
  return {
    greater: normalCdf((second.mean - first.mean) / Math.sqrt(a + b)),
    interval: isAboveZero ? [bound(tail), bound(1 - tail)] : null,
  };
}

/** The nodes above 0 of Gauss-Legendre quadrature with 16 nodes on (-1, 1), and their weights. */
const LEGENDRE: readonly (readonly [node: number, weight: number])[] = [
  [0.09501250983763744, 0.1894506104550685],
  [0.2816035507792589, 0.18260341504492358],
  [0.45801677765722737, 0.16915651939500254],
  [0.6178762444026438, 0.14959598881657674],
  [0.755404408355003, 0.12462897125553388],
  [0.8656312023878318, 0.09515851168249279],
  [0.9445750230732326, 0.062253523938647894],
  [0.9894009349916499, 0.027152459411754096],
];

/** Cuts, three standard deviations apart, that include practically all of Beta(a, b). */
function grid(a: number, b: number): number[] {
  const mean = a / (a + b);
  const deviation = Math.sqrt((mean * (1 - mean)) / (a + b + 1));
  // near 0 and 1 the density decreases no faster than an exponential one
  const steps = Math.min(a, b) > 100 ? 3 : 13;
  const cuts = Array.from({ length: 2 * steps + 1 }, (_, index) => mean + 3 * (index - steps) * deviation);
  return [...new Set(cuts.map((x) => Math.min(1, Math.max(0, x))))];
}

/** The integral of `f` between the least and the greatest of `cuts`. */
function integral(cuts: readonly number[], f: (x: number) => number): number {
  let total = 0;
  const sorted = cuts.toSorted((x, y) => x - y);
  for (const [index, to] of sorted.entries()) {
    const from = sorted[index - 1] ?? to;
    const [middle, half] = [(from + to) / 2, (to - from) / 2];
    if (half === 0) continue;
    for (const [node, weight] of LEGENDRE) total += half * weight * (f(middle - half * node) + f(middle + half * node));
  }
  return total;
}
