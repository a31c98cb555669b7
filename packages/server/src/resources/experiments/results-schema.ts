import { z } from 'zod';
import { EXPERIMENT_STATUSES } from '../../analytics/index.js';
import { timeSchema } from '../../http/dates.js';

const interval = (description: string) =>
  z.tuple([z.number(), z.number()]).readonly().nullable().describe(`${description} Null if it has none.`);
const maybe = (description: string) => z.number().nullable().describe(description);

const comparison = z.object({
  difference: maybe('Value minus the value of the baseline.'),
  difference_interval: interval('Confidence interval of the difference (frequentist).'),
  delta: maybe('The difference divided by the value of the baseline.'),
  delta_interval: interval('Credible interval of the delta (Bayesian).'),
  chance_to_win: maybe('Probability that the variant is better than the baseline, with flat priors; the goal is considered.'),
  p_value: maybe('Two-sided p-value of no difference: Welch’s t test, of funnels the two-proportion z test.'),
  significant: z.boolean().nullable().describe('By the method and level of the experiment; null while there is too little data.'),
  enough_data: z
    .boolean()
    .describe(
      'Whether each of the two variants has 50 exposed persons; in funnels, whether 5 of them completed it and 5 did not.',
    ),
});

const variant = z.object({
  key: z.string().describe('Key of the variant.'),
  is_baseline: z.boolean().describe('Whether the other variants are compared with it.'),
  exposures: z.int().describe('Persons who were exposed to it.'),
  samples: z
    .int()
    .describe('Exposed persons with at least one event of the metric; in funnels, persons who completed all steps.'),
  sum: maybe('Sum of the numbers of persons; null when it is too large.'),
  denominator: maybe('Of ratios: sum of the denominators.'),
  value: maybe('The mean per person, the share or the ratio; null when it divides by zero.'),
  step_counts: z
    .array(z.int())
    .nullable()
    .describe('Of funnels: the number of exposed persons, then of persons who completed each step.'),
  comparison: comparison.nullable().describe('Comparison with the baseline; null for the baseline itself.'),
});

/** How long an experiment should run. */
export const runningTimeSchema = z.object({
  minimum_detectable_effect: z.number().describe('The relative change to detect, in percent.'),
  recommended_sample_size: maybe('Persons in all variants together that detect it with 80 % power.'),
  exposures_per_day: maybe('New persons per day in the last seven days.'),
  recommended_days: maybe('Days until so many persons are exposed, at this rate.'),
  remaining_days: maybe('Days that remain of these.'),
});

/** The results of one metric. */
export const metricResultSchema = z.object({
  uuid: z.string().nullable().describe('UUID of the metric.'),
  name: z.string().nullable().describe('Name of the metric.'),
  metric_type: z.enum(['mean', 'funnel', 'ratio']).nullable().describe('Type of the metric; null when it cannot be computed.'),
  goal: z.enum(['increase', 'decrease']).nullable().describe('Which way is better.'),
  error: z.string().nullable().describe('Why it cannot be computed; null when it can.'),
  variants: z.array(variant).describe('In the order of the flag.'),
  running_time: runningTimeSchema.nullable().describe('How long the experiment should run for this metric.'),
});

/** The results of an experiment. */
export const resultsSchema = z
  .object({
    experiment_id: z.int().describe('Number of the experiment.'),
    status: z.enum(EXPERIMENT_STATUSES).describe('Stage of the experiment.'),
    date_from: timeSchema('Events count from this time.'),
    date_to: timeSchema('Events count until this time: the end, or now.'),
    baseline: z.string().describe('The variant that the others are compared with.'),
    method: z.enum(['bayesian', 'frequentist']).describe('Method that decides about significance.'),
    confidence_level: z.number().describe('Confidence level of the intervals and of significance.'),
    multiple_variant_handling: z
      .enum(['exclude', 'first_seen'])
      .describe('How persons with several variants are counted: left out, or with the first variant.'),
    exposures: z
      .object({
        total: z.int().describe('Persons who take part.'),
        variants: z.record(z.string(), z.int()).describe('Number of persons exposed to each variant.'),
        multiple: z.int().describe('Persons excluded because they were exposed to several variants.'),
        daily: z
          .array(
            z.object({
              variant: z.string().describe('Key of the variant.'),
              days: z.array(z.string()).describe('Days with new persons, in the time zone of the project.'),
              counts: z.array(z.int()).describe('New persons on each day.'),
            }),
          )
          .describe('New persons per day.'),
        sample_ratio: z
          .object({
            expected: z.record(z.string(), z.number()).describe('Expected number of persons exposed to each variant.'),
            p_value: z.number().describe('Of Pearson’s chi-squared test.'),
            mismatch: z.boolean().describe('True below 0.001: the assignment or the counting of variants has a fault.'),
          })
          .nullable()
          .describe('Whether the split of persons matches the percentages; null when this cannot be tested.'),
      })
      .describe('Who takes part.'),
    metrics: z.array(metricResultSchema).describe('Results of the primary metrics.'),
    metrics_secondary: z.array(metricResultSchema).describe('Results of the secondary metrics.'),
  })
  .meta({ id: 'ExperimentResults', description: 'The results of an experiment.' });

/** Parameters of a request for results. */
export const resultsQuery = z.object({
  metric: z.string().optional().describe('Only this metric (its uuid).'),
});
