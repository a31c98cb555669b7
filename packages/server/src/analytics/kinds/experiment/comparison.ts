import type { Metric, MetricSums } from './experiment-schema.js';
import { betaPosterior, normalPosterior, type Posterior } from './stats/posterior.js';
import { type Sample, type Significance, twoProportions, welch } from './stats/significance.js';

/** The number of persons that each of the two variants needs for a result to be significant. */
export const MIN_EXPOSURES = 50;
/** In funnels, each variant also needs so many persons who completed it, and so many who did not. */
const MIN_OUTCOMES = 5;

/** The statistical method and its confidence level. */
export interface Judgement {
  method: 'bayesian' | 'frequentist';
  /** Confidence level of the intervals and of significance. */
  confidence: number;
}

type Interval = readonly [low: number, high: number];

/** The comparison of a variant with the baseline. */
export interface Comparison {
  /** The variant's value minus the baseline's, and its confidence interval (frequentist). */
  difference: number | null;
  difference_interval: Interval | null;
  /** The difference divided by the baseline's value, and its credible interval (Bayesian). */
  delta: number | null;
  delta_interval: Interval | null;
  /** Posterior probability that the variant is better, by the goal of the metric. */
  chance_to_win: number | null;
  /** Two-sided p-value of no difference. */
  p_value: number | null;
  /** By the method of the experiment; null while there is too little data. */
  significant: boolean | null;
  enough_data: boolean;
}

/** The value of a metric: a mean, a share or a ratio; null when it divides by zero. */
export function metricValue(metric: Metric, sums: MetricSums): number | null {
  const { exposures, sum, otherSum } = sums;
  return finite(metric.type === 'ratio' ? sum / otherSum : sum / exposures);
}

/**
 * A metric as a mean with the variance of a single person's number. Of a ratio these are by the delta method: the ratio of
 * means R has the variance of (x - R y) / mean(y) (Deng, Knoblich, Lu 2018, equation 3).
 */
export function sampleOf(metric: Metric, sums: MetricSums): Sample | null {
  const { exposures: n, sum, squares, otherSum, otherSquares, products } = sums;
  const value = metricValue(metric, sums);
  if (value === null || n < 2) return null;
  const covariance = (product: number, a: number, b: number): number => (product - (a * b) / n) / (n - 1);
  const variance =
    metric.type === 'ratio'
      ? (covariance(squares, sum, sum) -
          2 * value * covariance(products, sum, otherSum) +
          value ** 2 * covariance(otherSquares, otherSum, otherSum)) /
        (otherSum / n) ** 2
      : covariance(squares, sum, sum);
  // a variance this small is a rounding error
  const cleaned = variance > 1e-13 * (squares / n) ? variance : 0;
  return Number.isFinite(variance) ? { n, mean: value, variance: cleaned } : null;
}

/** Compares a variant with the baseline. */
export function compare(
  metric: Metric,
  baseline: MetricSums,
  variant: MetricSums,
  { method, confidence }: Judgement,
): Comparison {
  const [from, to] = [metricValue(metric, baseline), metricValue(metric, variant)];
  const { test, posterior } = judge(metric, baseline, variant, confidence);
  const enough = hasEnough(metric, baseline) && hasEnough(metric, variant);
  const greater = posterior?.greater ?? null;
  const chance = greater !== null && metric.goal === 'decrease' ? 1 - greater : greater;
  return {
    difference: from === null || to === null ? null : to - from,
    difference_interval: interval(test?.interval),
    delta: from === null || to === null || from === 0 ? null : finite(to / from - 1),
    delta_interval: interval(posterior?.interval),
    chance_to_win: chance,
    p_value: test?.pValue ?? null,
    significant: enough ? isSignificant(method, confidence, greater, test?.pValue ?? null) : null,
    enough_data: enough,
  };
}

function judge(
  metric: Metric,
  baseline: MetricSums,
  variant: MetricSums,
  confidence: number,
): { test: Significance | null; posterior: Posterior | null } {
  if (metric.type === 'funnel') {
    const [first, second] = [shareOf(baseline), shareOf(variant)];
    const isEmpty = first.n === 0 || second.n === 0;
    return {
      test: twoProportions(first, second, confidence),
      posterior: isEmpty ? null : betaPosterior(first, second, confidence),
    };
  }
  const [first, second] = [sampleOf(metric, baseline), sampleOf(metric, variant)];
  if (!first || !second) return { test: null, posterior: null };
  return { test: welch(first, second, confidence), posterior: normalPosterior(first, second, confidence) };
}

const shareOf = ({ samples, exposures }: MetricSums) => ({ hits: samples, n: exposures });

function hasEnough(metric: Metric, { exposures, samples }: MetricSums): boolean {
  if (exposures < MIN_EXPOSURES) return false;
  return metric.type !== 'funnel' || (samples >= MIN_OUTCOMES && exposures - samples >= MIN_OUTCOMES);
}

function isSignificant(
  method: Judgement['method'],
  confidence: number,
  greater: number | null,
  pValue: number | null,
): boolean | null {
  if (method === 'frequentist') return pValue === null ? null : pValue < 1 - confidence;
  return greater === null ? null : Math.max(greater, 1 - greater) > (1 + confidence) / 2;
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

const interval = (bounds: Interval | null | undefined): Interval | null =>
  bounds?.every((bound) => Number.isFinite(bound)) ? bounds : null;
