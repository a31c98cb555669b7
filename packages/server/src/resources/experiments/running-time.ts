import type { Metric, MetricSums } from '../../analytics/index.js';
import { sampleOf } from './comparison.js';
import { sizeForMeans, sizeForShares } from './stats/sample-size.js';

/** The chance to find the effect when it is there. */
export const POWER = 0.8;
/** In percent, where an experiment does not say. */
export const DEFAULT_EFFECT = 30;

/** How long an experiment should run. */
export interface RunningTime {
  /** The relative change to be found, in percent. */
  minimum_detectable_effect: number;
  /** Persons in all variants together; null while nothing is known of the baseline. */
  recommended_sample_size: number | null;
  /** New persons a day of late; null before the first. */
  exposures_per_day: number | null;
  /** At that rate, for all of them and for those that are missing. */
  recommended_days: number | null;
  remaining_days: number | null;
}

/** What is known of an experiment that runs. */
export interface Pace {
  /** In percent. */
  effect: number;
  confidence: number;
  /** The part of the persons that the smallest variant gets. */
  smallestShare: number;
  exposed: number;
  perDay: number;
}

/** By the baseline's numbers and the recent rate of exposures. */
export function runningTime(metric: Metric, baseline: MetricSums | undefined, pace: Pace): RunningTime {
  const sample = baseline ? sampleOf(metric, baseline) : null;
  const each = sample && sizeOfEach({ ...sample, isShare: metric.type === 'funnel', goal: metric.goal }, pace);
  return estimate(each, pace);
}

/** `each`: persons that each variant needs; null: nothing is known. */
export function estimate(each: number | null, pace: Pace): RunningTime {
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

/** The numbers of persons, as they are without the change. */
export interface Known {
  /** Whether each number is 1 or 0. */
  isShare: boolean;
  goal: Metric['goal'];
  mean: number;
  variance: number;
}

/** Persons that each variant needs to find an effect (percent); null: no number of persons will do. */
export function sizeOfEach(
  { isShare, goal, mean, variance }: Known,
  { effect, confidence }: Pick<Pace, 'effect' | 'confidence'>,
) {
  const test = { alpha: 1 - confidence, power: POWER };
  const aim = mean * (1 + ((goal === 'decrease' ? -1 : 1) * effect) / 100);
  // a share ends at 0 and 1
  const reached = isShare ? Math.min(1, Math.max(0, aim)) : aim;
  if (reached === mean || variance <= 0) return null;
  return isShare ? sizeForShares(mean, reached, test) : sizeForMeans(reached - mean, variance, test);
}
