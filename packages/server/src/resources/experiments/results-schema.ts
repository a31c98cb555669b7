import { z } from 'zod';
import { STATUSES } from './row.js';

const time = (description: string) => z.string().describe(description).meta({ format: 'date-time' });
const interval = (description: string) =>
  z.tuple([z.number(), z.number()]).readonly().nullable().describe(`${description} Null where it has none.`);
const maybe = (description: string) => z.number().nullable().describe(description);

const comparison = z.object({
  difference: maybe('Value minus the value of the baseline.'),
  difference_interval: interval('Confidence interval of the difference (frequentist).'),
  delta: maybe('The difference as a part of the value of the baseline.'),
  delta_interval: interval('Credible interval of the delta (Bayesian).'),
  chance_to_win: maybe('Probability that the variant is better than the baseline, with flat priors; the goal is considered.'),
  p_value: maybe('Two-sided p-value of no difference: Welch’s t test, of funnels the two-proportion z test.'),
  significant: z.boolean().nullable().describe('By the method and level of the experiment; null while there is too little data.'),
  enough_data: z.boolean().describe('Whether 50 persons met either variant, and in funnels 5 went through and 5 did not.'),
});

const variant = z.object({
  key: z.string().describe('The variant.'),
  is_baseline: z.boolean().describe('Whether the others are compared with it.'),
  exposures: z.int().describe('Persons who met it.'),
  samples: z
    .int()
    .describe('Exposed persons with at least one event of the metric; in funnels, persons who completed all steps.'),
  sum: maybe('What their numbers sum to; null when that is too large.'),
  denominator: maybe('Of ratios: what the numbers below the line sum to.'),
  value: maybe('The mean a person, the share or the ratio; null where there is none.'),
  step_counts: z.array(z.int()).nullable().describe('Of funnels: how many were exposed, and took each step.'),
  comparison: comparison.nullable().describe('The variant beside the baseline; null for the baseline itself.'),
});

/** How long an experiment should run. */
export const runningTimeSchema = z.object({
  minimum_detectable_effect: z.number().describe('The relative change to be found, in percent.'),
  recommended_sample_size: maybe('Persons in all variants together that find it with 80 % power.'),
  exposures_per_day: maybe('New persons a day in the last seven days.'),
  recommended_days: maybe('Days that so many persons take at this rate.'),
  remaining_days: maybe('Of these, the days that are left.'),
});

/** The results of one metric. */
export const metricResultSchema = z.object({
  uuid: z.string().nullable().describe('The metric.'),
  name: z.string().nullable().describe('Its name.'),
  metric_type: z.enum(['mean', 'funnel', 'ratio']).nullable().describe('Its kind; null when it cannot be computed.'),
  goal: z.enum(['increase', 'decrease']).nullable().describe('Which way is better.'),
  error: z.string().nullable().describe('Why it cannot be computed; null when it can.'),
  variants: z.array(variant).describe('In the order of the flag.'),
  running_time: runningTimeSchema.nullable().describe('How long the experiment should run for this metric.'),
});

/** What an experiment found. */
export const resultsSchema = z
  .object({
    experiment_id: z.int().describe('The experiment.'),
    status: z.enum(STATUSES).describe('Where it is.'),
    date_from: time('From when on events count.'),
    date_to: time('Until when: its end, or now.'),
    baseline: z.string().describe('The variant that the others are compared with.'),
    method: z.enum(['bayesian', 'frequentist']).describe('What decides about significance.'),
    confidence_level: z.number().describe('Probability of the intervals, and of what counts as significant.'),
    multiple_variant_handling: z
      .enum(['exclude', 'first_seen'])
      .describe('How persons with several variants are counted: left out, or with the first variant.'),
    exposures: z
      .object({
        total: z.int().describe('Persons who take part.'),
        variants: z.record(z.string(), z.int()).describe('How many of them met each variant.'),
        multiple: z.int().describe('Persons left out because they met several.'),
        daily: z
          .array(
            z.object({
              variant: z.string().describe('The variant.'),
              days: z.array(z.string()).describe('Days with new persons, in the time zone of the project.'),
              counts: z.array(z.int()).describe('How many on each.'),
            }),
          )
          .describe('New persons a day.'),
        sample_ratio: z
          .object({
            expected: z.record(z.string(), z.number()).describe('How many should have met each variant.'),
            p_value: z.number().describe('Of Pearson’s chi-squared test.'),
            mismatch: z.boolean().describe('True below 0.001: something is wrong with how variants are given or counted.'),
          })
          .nullable()
          .describe('Whether the persons are split as the percentages say; null where that cannot be said.'),
      })
      .describe('Who takes part.'),
    metrics: z.array(metricResultSchema).describe('What the experiment is about.'),
    metrics_secondary: z.array(metricResultSchema).describe('What is looked at besides.'),
  })
  .meta({ id: 'ExperimentResults', description: 'What an experiment found.' });

/** Parameters of a request for results. */
export const resultsQuery = z.object({
  metric: z.string().optional().describe('Only this metric (its uuid).'),
});
