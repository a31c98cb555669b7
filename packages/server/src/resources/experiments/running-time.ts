import { z } from 'zod';
import { DEFAULT_EFFECT, estimateRunningTime } from '../../analytics/index.js';
import { choice, integer, nullable, optional } from '../../http/fields.js';
import { number } from './schema.js';

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
export function estimatePlan(plan: z.output<typeof planSchema>) {
  const { metric_type: type, baseline: mean, goal = 'increase', variants = 2 } = plan;
  const variance = type === 'funnel' ? mean * (1 - mean) : (plan.standard_deviation ?? 0) ** 2;
  return estimateRunningTime(
    { isShare: type === 'funnel', goal, mean, variance },
    {
      effect: plan.minimum_detectable_effect ?? DEFAULT_EFFECT,
      confidence: plan.confidence_level ?? 0.95,
      smallestShare: 1 / variants,
      exposed: 0,
      perDay: plan.exposures_per_day ?? 0,
    },
  );
}
