import { sampleOf } from './comparison.js';
import type { Metric, MetricSums } from './experiment-schema.js';
import { sizeForMeans, sizeForShares } from './stats/significance.js';

/** The probability of detecting an effect that exists. */
const POWER = 0.8;
/** The default of the effect to detect, in percent. */
export const DEFAULT_EFFECT = 30;

/** How long an experiment should run. */
export interface RunningTime {
  /** The relative change to detect, in percent. */
  minimum_detectable_effect: number;
  /** Persons in all variants together; null while the baseline has no data. */
  recommended_sample_size: number | null;
  /** New persons per day in the last days; null before the first. */
  exposures_per_day: number | null;
  /** Days at that rate for all persons, and for the persons who are missing. */
  recommended_days: number | null;
  remaining_days: number | null;
}

/** How fast an experiment exposes persons, and what it is to detect. */
export interface Pace {
  /** The relative change to detect, in percent. */
  effect: number;
  confidence: number;
  /** The share of persons (0 to 1) in the smallest variant. */
  smallestShare: number;
  exposed: number;
  perDay: number;
}

/** Estimates the running time from the data of the baseline and the recent rate of exposures. */
export function runningTime(metric: Metric, baseline: MetricSums | undefined, pace: Pace): RunningTime {
  const sample = baseline ? sampleOf(metric, baseline) : null;
  const each = sample && sizeOfEach({ ...sample, isShare: metric.type === 'funnel', goal: metric.goal }, pace);
  return estimate(each, pace);
}

/** Estimates the running time from a baseline that is known. */
export const estimateRunningTime = (known: Known, pace: Pace): RunningTime => estimate(sizeOfEach(known, pace), pace);

/** Estimates the running time; `each`: persons that each variant needs, null when unknown. */
function estimate(each: number | null, pace: Pace): RunningTime {
  const size = each !== null && pace.smallestShare > 0 ? Math.ceil(Math.ceil(each) / pace.smallestShare) : null;
  const days = (persons: number): number | null => (pace.perDay > 0 ? persons / pace.perDay : null);
  return {
    minimum_detectable_effect: pace.effect,
    recommended_sample_size: size,
    exposures_per_day: pace.perDay > 0 ? pace.perDay : null,
    recommended_days: size === null ? null : days(size),
    remaining_days: size === null ? null : days(Math.max(0, size - pace.exposed)),
  };
}

/** The metric of the baseline. */
interface Known {
  /** Whether the number of each person is 1 or 0. */
  isShare: boolean;
  goal: Metric['goal'];
  mean: number;
  variance: number;
}

/** Persons that each variant needs to detect an effect (percent); null: no number is enough. */
function sizeOfEach({ isShare, goal, mean, variance }: Known, { effect, confidence }: Pick<Pace, 'effect' | 'confidence'>) {
  const test = { alpha: 1 - confidence, power: POWER };
  const aim = mean * (1 + ((goal === 'decrease' ? -1 : 1) * effect) / 100);
  // shares are between 0 and 1
  const reached = isShare ? Math.min(1, Math.max(0, aim)) : aim;
  if (reached === mean || variance <= 0) return null;
  return isShare ? sizeForShares(mean, reached, test) : sizeForMeans(reached - mean, variance, test);
}
