import { z } from 'zod';
import type { Metric, MetricSums } from '../../analytics/index.js';
import { choice, integer, nullable, optional } from '../../http/fields.js';
import { sampleOf } from './comparison.js';
import { number } from './schema.js';
import { sizeForMeans, sizeForShares } from './stats/significance.js';

/** The probability of detecting an effect that exists. */
const POWER = 0.8;
/** The default of the effect to detect, in percent. */
export const DEFAULT_EFFECT = 30;

/** How long an experiment should run. */
interface RunningTime {
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

const MAX_VARIANTS = 20;

/** The body of a request for the running time of a planned experiment. */
export const planSchema = z
  .object({
    metric_type: choice(['mean', 'funnel']).describe('funnel: a share of persons; mean: a number per person.'),
    baseline: number(0, 1e12, 'A number of 0 or more is required.').describe('The known share (0 to 1) or mean.'),
    standard_deviation: optional(nullable(number(0, 1e12, 'A number of 0 or more is required.'))).describe(
      'Of a mean: the standard deviation of the numbers of persons.',
    ),
    goal: optional(choice(['increase', 'decrease'])).describe('Which way is better.'),
    minimum_detectable_effect: optional(number(0.01, 1000, 'A percentage from 0.01 to 1000 is required.')).describe(
      'The relative change to detect, in percent; default 30.',
    ),
    confidence_level: optional(number(0.5, 0.9999, 'A number from 0.5 to 0.9999 is required.')).describe(
      'Confidence level; default 0.95.',
    ),
    variants: optional(integer()).describe('Number of variants, which get equal shares of the persons; default 2.'),
    exposures_per_day: optional(nullable(number(0, 1e12, 'A number of 0 or more is required.'))).describe('New persons per day.'),
  })
  .superRefine((plan, ctx) => {
    const refuse = (path: string, message: string, code = 'invalid_input') =>
      ctx.addIssue({ code: 'custom', path: [path], message, params: { code } });
    const { variants = 2, metric_type: type, baseline, standard_deviation: deviation } = plan;
    if (variants < 2 || variants > MAX_VARIANTS) refuse('variants', `A number from 2 to ${MAX_VARIANTS} is required.`);
    if (type === 'funnel' && baseline > 1) refuse('baseline', 'A share from 0 to 1 is required.');
    if (type === 'mean' && typeof deviation !== 'number') refuse('standard_deviation', 'This field is required.', 'required');
  })
  .meta({ example: { metric_type: 'funnel', baseline: 0.2, minimum_detectable_effect: 25, exposures_per_day: 500 } });

/** Estimates how long a planned experiment should run. */
export function estimatePlan(plan: z.output<typeof planSchema>): RunningTime {
  const { metric_type: type, baseline: mean, goal = 'increase', variants = 2 } = plan;
  const effect = plan.minimum_detectable_effect ?? DEFAULT_EFFECT;
  const variance = type === 'funnel' ? mean * (1 - mean) : (plan.standard_deviation ?? 0) ** 2;
  const goalOfPlan = { effect, confidence: plan.confidence_level ?? 0.95 };
  const each = sizeOfEach({ isShare: type === 'funnel', goal, mean, variance }, goalOfPlan);
  return estimate(each, { ...goalOfPlan, smallestShare: 1 / variants, exposed: 0, perDay: plan.exposures_per_day ?? 0 });
}
