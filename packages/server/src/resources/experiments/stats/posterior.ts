import { normalCdf, quantile } from './distributions.js';
import type { Sample, Share } from './significance.js';
import { betaDensity, incompleteBeta } from './special.js';

/** What is believed of the second variant beside the first once the data is in. */
export interface Posterior {
  /** The chance that the second is greater. */
  greater: number;
  /** The central interval of second / first - 1 at the asked probability; null where the first may be 0 or less. */
  interval: readonly [low: number, high: number] | null;
}

/**
 * Of two shares, each with the prior Beta(1, 1): every share as likely as any other. Computed by quadrature, not by drawing, so
 * that the same data gives the same answer.
 */
export function betaPosterior(first: Share, second: Share, probability: number): Posterior {
  const [a, b] = [first.hits + 1, first.n - first.hits + 1];
  const [c, d] = [second.hits + 1, second.n - second.hits + 1];
  // along the narrower of the two, beside which the other changes slowly
  const [isFirst, nodes] = spread(a, b) < spread(c, d) ? [true, quadrature(a, b)] : [false, quadrature(c, d)];
  /** The chance that second / first is at most `ratio`. */
  const below = (ratio: number): number =>
    nodes.reduce(
      (all, [x, weight]) => all + weight * (isFirst ? incompleteBeta(ratio * x, c, d) : incompleteBeta(1 - x / ratio, b, a)),
      0,
    );
  const tail = (1 - probability) / 2;
  const bound = (p: number): number => Math.expm1(quantile((log) => below(Math.exp(log)), p, -30, 30));
  return { greater: 1 - below(1), interval: [bound(tail), bound(1 - tail)] };
}

/** Of two means whose likelihood is normal with the variance seen, each with a flat prior: N(mean, variance / n). */
export function normalPosterior(first: Sample, second: Sample, probability: number): Posterior | null {
  if (first.n < 2 || second.n < 2) return null;
  const a = first.variance / first.n;
  const b = second.variance / second.n;
  if (!(a + b > 0)) return null;
  const below = (ratio: number): number => normalCdf((ratio * first.mean - second.mean) / Math.sqrt(b + ratio ** 2 * a));
  // the ratio has an interval only where the first mean is surely above 0 (Fieller)
  const isAboveZero = first.mean > 0 && normalCdf(-first.mean / Math.sqrt(a)) < 1e-4;
  const tail = (1 - probability) / 2;
  const bound = (p: number): number => quantile(below, p, -1e6, 1e6) - 1;
  return {
    greater: normalCdf((second.mean - first.mean) / Math.sqrt(a + b)),
    interval: isAboveZero ? [bound(tail), bound(1 - tail)] : null,
  };
}

/** The standard deviation of Beta(a, b) as a part of its mean. */
const spread = (a: number, b: number): number => Math.sqrt(b / (a * (a + b + 1)));

/** Points of Gauss and Legendre with 16 nodes on (-1, 1), those above 0. */
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

/** Points at which Beta(a, b) stands for its whole, with weights that sum to 1. */
function quadrature(a: number, b: number): [x: number, weight: number][] {
  const mean = a / (a + b);
  const deviation = mean * spread(a, b);
  // near 0 and 1 the distribution falls off no faster than an exponential one
  const reach = (Math.min(a, b) > 100 ? 9 : 40) * deviation;
  const [from, to] = [Math.max(0, mean - reach), Math.min(1, mean + reach)];
  const panels = Math.ceil((to - from) / (3 * deviation));
  const half = (to - from) / panels / 2;
  return Array.from({ length: panels }, (_, panel) => from + (2 * panel + 1) * half).flatMap((middle) =>
    LEGENDRE.flatMap(([node, weight]) =>
      [middle - half * node, middle + half * node].map((x): [number, number] => [x, half * weight * betaDensity(x, a, b)]),
    ),
  );
}
