import { isWhole } from '@tidemark/flags/check';
import { z } from 'zod';
import { bool, choice, dateTime, integer, list, nullable, optional, text } from '../../http/fields.js';
import { unsupported } from '../../http/unsupported.js';
import { flagKey } from '../feature-flags/index.js';
import { exposureCriteria, metricList } from './metric-list.js';
import { number } from './number.js';
import { STATUSES } from './row.js';

export const CONCLUSIONS = ['won', 'lost', 'inconclusive', 'stopped_early', 'invalid'] as const;

/** The parameter of paths to one experiment. */
export const experimentParams = { id: z.string().describe('Number of the experiment.') };

const percentage = number(0, 100, 'A percentage from 0 to 100 is required.');
const effect = number(0.01, 1000, 'A percentage from 0.01 to 1000 is required.');
const level = number(0.5, 0.9999, 'A number from 0.5 to 0.9999 is required.');
const alpha = number(0.0001, 0.5, 'A number from 0.0001 to 0.5 is required.');

const variant = z.object(
  {
    key: text({ max: 400 }).describe('What code gets.'),
    name: optional(nullable(text({ max: 400, blank: true }))).describe('What people call it.'),
    rollout_percentage: percentage.describe('Its part of those whom the flag is on for; all sum to 100.'),
  },
  'Expected a variant: an object with key and rollout_percentage.',
);

const variants = list(variant).superRefine((all, ctx) => {
  const refuse = (message: string) => ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_input' } });
  if (new Set(all.map(({ key }) => key)).size < all.length) refuse('Each variant needs a key of its own.');
  const sum = all.reduce((total, { rollout_percentage: share }) => total + share, 0);
  if (!isWhole(sum)) refuse('The percentages of the variants must sum to 100.');
});

/** Fields of an experiment's form; unknown fields are stored unchanged. */
const parameters = z
  .looseObject(
    {
      feature_flag_variants: optional(nullable(variants)).describe(
        'Variants of a flag that is to be made, or to be changed before the start.',
      ),
      rollout_percentage: optional(nullable(percentage)).describe(
        'For which part of everybody a new flag is on; 100 if left out.',
      ),
      minimum_detectable_effect: optional(nullable(effect)).describe(
        'The relative change, in percent, that shall be found; 30 if left out.',
      ),
      aggregation_group_type_index: unsupported('Experiments compare persons, not groups.'),
      custom_exposure_filter: unsupported('Send exposure_criteria instead.'),
    },
    'Not a valid object.',
  )
  .meta({ additionalProperties: true });

const holdout = z.looseObject(
  {
    id: integer().describe('Number of the holdout: flags with the same number leave the same people out.'),
    exclusion_percentage: percentage.describe('The part of everybody that is left out.'),
  },
  'Expected a holdout: an object with id and exclusion_percentage.',
);

const statsConfig = z
  .looseObject(
    {
      method: optional(nullable(choice(['bayesian', 'frequentist']))).describe(
        'What decides whether a difference is significant.',
      ),
      bayesian: optional(
        nullable(
          z.looseObject({ ci_level: optional(nullable(level)).describe('Probability of the intervals; 0.95 if left out.') }),
        ),
      ).describe('Of the Bayesian method.'),
      frequentist: optional(
        nullable(z.looseObject({ alpha: optional(nullable(alpha)).describe('One minus their confidence; 0.05 if left out.') })),
      ).describe('Of the frequentist method.'),
    },
    'Not a valid object.',
  )
  .meta({ additionalProperties: true });

const fields = {
  description: optional(nullable(text({ blank: true }))).describe('What is expected, and why.'),
  start_date: optional(nullable(dateTime())).describe('When it starts; setting it is what `launch` does.'),
  end_date: optional(nullable(dateTime())).describe('When it ends; setting it is what `end` does, null goes on.'),
  archived: optional(bool()).describe('Whether it is put away. One that is running cannot be.'),
  parameters: optional(nullable(parameters)).describe('Variants, rollout and the effect to be found.'),
  metrics: optional(nullable(metricList)).describe('What it is about.'),
  metrics_secondary: optional(nullable(metricList)).describe('What is looked at besides.'),
  exposure_criteria: optional(nullable(exposureCriteria)).describe('Who takes part.'),
  stats_config: optional(nullable(statsConfig)).describe('How results are judged; `bayesian` with 95 % if left out.'),
  holdout: optional(nullable(holdout)).describe(
    'The people who get no variant: it is set on the flag, and can be changed until the start.',
  ),
  conclusion: optional(nullable(choice(CONCLUSIONS))).describe('What came of it.'),
  conclusion_comment: optional(nullable(text({ blank: true }))).describe('What came of it, in words.'),
  type: unsupported('Experiments without code are not supported.', 'product'),
  filters: unsupported('Send metrics instead.'),
  secondary_metrics: unsupported('Send metrics_secondary instead.'),
  saved_metrics: unsupported('Send metrics and metrics_secondary instead.'),
  saved_metrics_ids: unsupported('Send metrics and metrics_secondary instead.'),
  scheduling_config: unsupported('Set start_date and end_date instead.'),
  exposure_cohort: unsupported('Send exposure_criteria instead.'),
};

/** What an experiment is made with. The order of the fields is that of their refusals. */
export const createSchema = z
  .object({
    name: text({ max: 400 }).describe('What it is called.'),
    feature_flag_key: flagKey.describe('The flag; one with variants, or a new key: then the flag is made.'),
    ...fields,
  })
  .meta({
    example: {
      name: 'Checkout on one page',
      feature_flag_key: 'one-page-checkout',
      metrics: [{ metric_type: 'funnel', series: [{ kind: 'EventsNode', event: 'paid' }] }],
    },
  });
export type CreateFields = z.output<typeof createSchema>;

/** What may be changed of an experiment. */
export const updateSchema = z
  .object({
    name: optional(text({ max: 400 })).describe('What it is called.'),
    feature_flag_key: optional(text({ max: 400 })).describe('Only its own: an experiment keeps its flag.'),
    ...fields,
    deleted: optional(bool()).describe('True deletes the experiment; false restores it. Its flag stays.'),
  })
  .meta({ example: { description: 'One page instead of three.' } });
export type UpdateFields = z.output<typeof updateSchema>;

/** How an experiment is ended. */
export const endSchema = z
  .object({
    conclusion: fields.conclusion,
    conclusion_comment: fields.conclusion_comment,
  })
  .meta({ example: { conclusion: 'won', conclusion_comment: 'More people finished.' } });
export type EndFields = z.output<typeof endSchema>;

/** Which variant everybody shall get. */
export const shipSchema = endSchema
  .extend({ variant_key: text({ max: 400 }).describe('The variant that everybody gets.') })
  .meta({ example: { variant_key: 'test', conclusion: 'won' } });
export type ShipFields = z.output<typeof shipSchema>;

/** What a copy is called. */
export const duplicateSchema = z
  .object({
    name: optional(nullable(text({ max: 400 }))).describe('Name of the copy; else that of the original with “(Copy)”.'),
    feature_flag_key: optional(nullable(flagKey)).describe(
      'Flag of the copy: one with variants, or a new key, then a flag with the same variants is made. Else the same flag.',
    ),
  })
  .meta({ example: { name: 'Checkout, second try', feature_flag_key: 'checkout-2' } });
export type DuplicateFields = z.output<typeof duplicateSchema>;

const word = optional(text({ max: 400, blank: true }));

/** What a list of experiments may be narrowed to. */
export const listQuery = z.object({
  search: word.describe('Only those with this text in name, description or flag key.'),
  status: optional(z.union([z.literal(''), choice(STATUSES)])).describe('Only those that are here between making and end.'),
  archived: optional(z.union([z.literal(''), bool()])).describe('True: only archived ones; false: only others.'),
  feature_flag_id: optional(integer()).describe('Only those on this flag.'),
  created_by_id: optional(integer()).describe('Only those made by this user (number).'),
});
export type ListQuery = z.output<typeof listQuery>;
