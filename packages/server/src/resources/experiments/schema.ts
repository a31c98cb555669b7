import { isWhole } from '@tidemark/flags/check';
import { z } from 'zod';
import { accessFieldsSchema } from '../../access/index.js';
import { EXPERIMENT_STATUSES } from '../../analytics/index.js';
import { userSchema } from '../../auth/index.js';
import { timeSchema } from '../../http/dates.js';
import { bool, choice, dateTime, integer, list, nullable, optional, text, unsupported } from '../../http/fields.js';
import { pageOf } from '../../http/pagination.js';
import { flagKey } from '../feature-flags/index.js';
import { exposureCriteria, metricList } from './metric-list.js';

const CONCLUSIONS = ['won', 'lost', 'inconclusive', 'stopped_early', 'invalid'] as const;

/** The parameter of paths to one experiment. */
export const experimentParams = { id: z.string().describe('Number of the experiment.') };

/** The schema of a number from `from` to `to`. */
export const number = (from: number, to: number, message: string) =>
  z
    .unknown()
    .transform((value, ctx): number => {
      if (typeof value === 'number' && value >= from && value <= to) return value;
      const isMissing = value === undefined;
      ctx.addIssue({
        code: 'custom',
        message: isMissing ? 'This field is required.' : message,
        params: { code: isMissing ? 'required' : 'invalid_input' },
        input: value,
      });
      return z.NEVER;
    })
    .meta({ type: 'number', minimum: from, maximum: to });

const percentage = number(0, 100, 'A percentage from 0 to 100 is required.');
const effect = number(0.01, 1000, 'A percentage from 0.01 to 1000 is required.');
const level = number(0.5, 0.9999, 'A number from 0.5 to 0.9999 is required.');
const alpha = number(0.0001, 0.5, 'A number from 0.0001 to 0.5 is required.');

const variant = z.object(
  {
    key: text({ max: 400 }).describe('Key, which code gets.'),
    name: optional(nullable(text({ max: 400, blank: true }))).describe('Name.'),
    rollout_percentage: percentage.describe('Percentage of the people for whom the flag is on; all percentages sum to 100.'),
  },
  'Expected a variant: an object with key and rollout_percentage.',
);

const variants = list(variant).superRefine((all, ctx) => {
  const refuse = (message: string) => ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_input' } });
  if (new Set(all.map(({ key }) => key)).size < all.length) refuse('Each variant needs a key of its own.');
  const sum = all.reduce((total, { rollout_percentage: share }) => total + share, 0);
  if (!isWhole(sum)) refuse('The percentages of the variants must sum to 100.');
});

/** The parameters of an experiment. Unknown fields are stored unchanged. */
const parameters = z
  .looseObject(
    {
      feature_flag_variants: optional(nullable(variants)).describe(
        'Variants of the flag, for a new flag or before the start; with `start_date` in a POST, those at the start.',
      ),
      rollout_percentage: optional(nullable(percentage)).describe(
        'Percentage of everybody for whom a new flag is on; default 100.',
      ),
      minimum_detectable_effect: optional(nullable(effect)).describe('The relative change to detect, in percent; default 30.'),
      aggregation_group_type_index: unsupported('Experiments compare persons, not groups.'),
      custom_exposure_filter: unsupported('Send exposure_criteria instead.'),
    },
    'Not a valid object.',
  )
  .meta({ additionalProperties: true });

const holdout = z.looseObject(
  {
    id: integer().describe('Number of the holdout: flags with the same number exclude the same people.'),
    exclusion_percentage: percentage.describe('Percentage of everybody to exclude.'),
  },
  'Expected a holdout: an object with id and exclusion_percentage.',
);

const statsConfig = z
  .looseObject(
    {
      method: optional(nullable(choice(['bayesian', 'frequentist']))).describe(
        'Method that decides whether a difference is significant.',
      ),
      bayesian: optional(
        nullable(
          z.looseObject({ ci_level: optional(nullable(level)).describe('Level of the credible intervals; default 0.95.') }),
        ),
      ).describe('Options of the Bayesian method.'),
      frequentist: optional(
        nullable(z.looseObject({ alpha: optional(nullable(alpha)).describe('One minus the confidence level; default 0.05.') })),
      ).describe('Options of the frequentist method.'),
    },
    'Not a valid object.',
  )
  .meta({ additionalProperties: true });

const fields = {
  description: optional(nullable(text({ blank: true }))).describe('Hypothesis: what you expect, and why.'),
  start_date: optional(nullable(dateTime())).describe('When it starts; setting it launches the experiment.'),
  end_date: optional(nullable(dateTime())).describe('When it ends; setting it ends the experiment, null continues it.'),
  archived: optional(bool()).describe('Whether it is archived. Running experiments cannot be archived.'),
  parameters: optional(nullable(parameters)).describe('Variants, rollout and the effect to detect.'),
  metrics: optional(nullable(metricList)).describe('Primary metrics.'),
  metrics_secondary: optional(nullable(metricList)).describe('Secondary metrics.'),
  exposure_criteria: optional(nullable(exposureCriteria)).describe('Who takes part.'),
  stats_config: optional(nullable(statsConfig)).describe('Statistical method; default `bayesian` with 95 %.'),
  holdout: optional(nullable(holdout)).describe(
    'People who get no variant. The holdout is set on the flag, and can be changed until the start.',
  ),
  conclusion: optional(nullable(choice(CONCLUSIONS))).describe('Conclusion.'),
  conclusion_comment: optional(nullable(text({ blank: true }))).describe('Comment on the conclusion.'),
  type: unsupported('Experiments without code are not supported.', 'product'),
  filters: unsupported('Send metrics instead.'),
  secondary_metrics: unsupported('Send metrics_secondary instead.'),
  saved_metrics: unsupported('Send metrics and metrics_secondary instead.'),
  saved_metrics_ids: unsupported('Send metrics and metrics_secondary instead.'),
  scheduling_config: unsupported('Set start_date and end_date instead.'),
  exposure_cohort: unsupported('Send exposure_criteria instead.'),
};

/** The body of POST. Fields are validated in this order, and the first error is the response. */
export const createSchema = z
  .object({
    name: text({ max: 400 }).describe('Name.'),
    feature_flag_key: flagKey.describe('Key of a flag with variants; a new key creates the flag.'),
    ...fields,
    shipped_variant: optional(nullable(text({ max: 400 }))).describe(
      'Of an experiment that ended elsewhere: key of the variant that was shipped. The flag stays as it is.',
    ),
  })
  .meta({
    example: {
      name: 'Checkout on one page',
      feature_flag_key: 'one-page-checkout',
      metrics: [{ metric_type: 'funnel', series: [{ kind: 'EventsNode', event: 'paid' }] }],
    },
  });
export type CreateFields = z.output<typeof createSchema>;

/** The body of PATCH and PUT. */
export const updateSchema = z
  .object({
    name: optional(text({ max: 400 })).describe('Name.'),
    feature_flag_key: optional(text({ max: 400 })).describe('Its own key only: the flag of an experiment cannot be changed.'),
    ...fields,
    deleted: optional(bool()).describe('True deletes the experiment, false restores it. Its flag does not change.'),
    version: optional(nullable(integer())).describe(
      'The version that the change is based on; 409 when it is not the present one. Null or left out: the change is made.',
    ),
  })
  .meta({ example: { description: 'One page instead of three.' } });
export type UpdateFields = z.output<typeof updateSchema>;

/** The body of `end`. */
export const endSchema = z
  .object({
    conclusion: fields.conclusion,
    conclusion_comment: fields.conclusion_comment,
  })
  .meta({ example: { conclusion: 'won', conclusion_comment: 'More people finished.' } });
export type EndFields = z.output<typeof endSchema>;

/** The body of `ship_variant`. */
export const shipSchema = endSchema
  .extend({ variant_key: text({ max: 400 }).describe('Key of the variant that everybody gets.') })
  .meta({ example: { variant_key: 'test', conclusion: 'won' } });
export type ShipFields = z.output<typeof shipSchema>;

/** The body of `duplicate`. */
export const duplicateSchema = z
  .object({
    name: optional(nullable(text({ max: 400 }))).describe('Name of the copy; default: the name of the original with “(Copy)”.'),
    feature_flag_key: optional(nullable(flagKey)).describe(
      'Key of the flag of the copy: a flag with variants, or a new key, which creates a flag with the same variants. Default: the same flag.',
    ),
  })
  .meta({ example: { name: 'Checkout, second try', feature_flag_key: 'checkout-2' } });
export type DuplicateFields = z.output<typeof duplicateSchema>;

const word = optional(text({ max: 400, blank: true }));

/** The query parameters of lists. */
export const listQuery = z.object({
  search: word.describe('Only experiments with this text in their name, description or flag key.'),
  status: optional(z.union([z.literal(''), choice(EXPERIMENT_STATUSES)])).describe('Only experiments in this stage.'),
  archived: optional(z.union([z.literal(''), bool()])).describe('True: only archived experiments; false: only others.'),
  feature_flag_id: optional(integer()).describe('Only experiments on this flag (number).'),
  created_by_id: optional(integer()).describe('Only experiments created by this user (number).'),
});
export type ListQuery = z.output<typeof listQuery>;

const free = z.record(z.string(), z.unknown());

const flag = z.object({
  id: z.int().describe('Number of the flag.'),
  key: z.string().describe('Key, by which code evaluates it.'),
  name: z.string().describe('What the flag is for.'),
  filters: free.describe('Whom it is on for, and its variants.'),
  active: z.boolean().describe('False: it is off for everybody.'),
  deleted: z.boolean().describe('Whether it is deleted.'),
  ensure_experience_continuity: z.boolean().describe('Whether people keep their value when they are identified.'),
  version: z.int().describe('Version; each change adds one.'),
});

/** An experiment as responses show it. */
export const experimentSchema = z
  .object({
    id: z.int().describe('Number of the experiment.'),
    name: z.string().describe('Name.'),
    description: z.string().describe('Hypothesis; may be empty.'),
    start_date: timeSchema('When it started; null before.').nullable(),
    end_date: timeSchema('When it ended; null before.').nullable(),
    feature_flag_key: z.string().describe('Key of the flag.'),
    feature_flag: flag.nullable().describe('The flag whose variants it compares; null when access rules hide it from you.'),
    holdout: free.nullable().describe('People who get no variant; null: none.'),
    exposure_cohort: z.null().describe('Always null: events define exposure.'),
    parameters: free.describe(
      'Has `feature_flag_variants`, the compared variants (once started, those at the start), `minimum_detectable_effect` and other fields as they were sent.',
    ),
    secondary_metrics: z.array(z.unknown()).describe('Always empty: see `metrics_secondary`.'),
    saved_metrics: z.array(z.unknown()).describe('Always empty: metrics belong to one experiment.'),
    saved_metrics_ids: z.array(z.unknown()).describe('Always empty: metrics belong to one experiment.'),
    scheduling_config: z.null().describe('Always null: see `start_date` and `end_date`.'),
    type: z.literal('product').describe('Experiments are made in code.'),
    filters: free.describe('Always `{}`: see `metrics`.'),
    archived: z.boolean().describe('Whether it is archived.'),
    deleted: z.boolean().describe('Whether it is deleted; deleted ones can be restored.'),
    created_by: userSchema.nullable().describe('Who created it; null when that user is deleted.'),
    created_at: timeSchema('When it was created.'),
    updated_at: timeSchema('When it last changed.'),
    version: z.int().describe('Counts the changes of the experiment and of the variants that it gives its flag.'),
    last_modified_by: userSchema
      .nullable()
      .describe('Who made this version; null: nobody has changed it since it was created, or that user is deleted.'),
    metrics: z.array(free).describe('Primary metrics, each with a `uuid`.'),
    metrics_secondary: z.array(free).describe('Secondary metrics.'),
    stats_config: free.describe('Statistical method.'),
    exposure_criteria: free.describe('Who takes part.'),
    conclusion: z.string().nullable().describe('Conclusion.'),
    conclusion_comment: z.string().nullable().describe('Comment on the conclusion.'),
    shipped_variant: z.string().nullable().describe('Key of the variant that was shipped to everybody.'),
    baseline: z
      .string()
      .nullable()
      .describe('Key of the variant that the others are compared with: `control`, or the first if there is none.'),
    status: z.enum(EXPERIMENT_STATUSES).describe('Stage; `paused`: it has started, and its flag is switched off.'),
    user_access_level: accessFieldsSchema.user_access_level,
  })
  .meta({ id: 'Experiment', description: 'A comparison of the variants of a feature flag.' });

export const experimentPage = pageOf(experimentSchema);
