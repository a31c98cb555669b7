import { z } from 'zod';
import { accessFieldsSchema } from '../../access/index.js';
import { userSchema } from '../../auth/index.js';
import { pageOf } from '../../http/pagination.js';
import { STATUSES } from './row.js';

const time = (description: string) => z.string().describe(description).meta({ format: 'date-time' });
const free = z.record(z.string(), z.unknown());

const flag = z.object({
  id: z.int().describe('Number of the flag.'),
  key: z.string().describe('What code asks for.'),
  name: z.string().describe('What it is for.'),
  filters: free.describe('For whom it is on, and its variants.'),
  active: z.boolean().describe('False: it is off for everybody.'),
  deleted: z.boolean().describe('Whether it is deleted.'),
  ensure_experience_continuity: z.boolean().describe('Whether people keep the value that they had before they were known.'),
  version: z.int().describe('Grows by one with each change.'),
});

/** An experiment as responses show it. */
export const experimentSchema = z
  .object({
    id: z.int().describe('Number of the experiment.'),
    name: z.string().describe('What it is called.'),
    description: z.string().describe('What is expected; may be empty.'),
    start_date: time('When it started; null before.').nullable(),
    end_date: time('When it ended; null before.').nullable(),
    feature_flag_key: z.string().describe('Key of the flag whose variants it compares.'),
    feature_flag: flag.nullable().describe('That flag; null where access rules hide it from you.'),
    holdout: free.nullable().describe('The group that is held out.'),
    exposure_cohort: z.null().describe('Always null: events define exposure.'),
    parameters: free.describe(
      'Among others `feature_flag_variants`, the variants that are compared (from the start on those of the start), and `minimum_detectable_effect`.',
    ),
    secondary_metrics: z.array(z.unknown()).describe('Always empty: see `metrics_secondary`.'),
    saved_metrics: z.array(z.unknown()).describe('Always empty: metrics belong to one experiment.'),
    saved_metrics_ids: z.array(z.unknown()).describe('Always empty: metrics belong to one experiment.'),
    scheduling_config: z.null().describe('Always null: see `start_date` and `end_date`.'),
    type: z.literal('product').describe('Experiments are made in code.'),
    filters: free.describe('Always `{}`: see `metrics`.'),
    archived: z.boolean().describe('Whether it is put away.'),
    deleted: z.boolean().describe('Whether it is deleted; deleted ones can be restored.'),
    created_by: userSchema.nullable().describe('Who made it; null for users who are gone.'),
    created_at: time('When it was made.'),
    updated_at: time('When it last changed.'),
    metrics: z.array(free).describe('What it is about; each has a `uuid`.'),
    metrics_secondary: z.array(free).describe('What is looked at besides.'),
    stats_config: free.describe('How results are judged.'),
    exposure_criteria: free.describe('Who takes part.'),
    conclusion: z.string().nullable().describe('What came of it.'),
    conclusion_comment: z.string().nullable().describe('What came of it, in words.'),
    shipped_variant: z.string().nullable().describe('The variant that was shipped to everybody.'),
    baseline: z.string().nullable().describe('The variant that the others are compared with: `control`, or else the first.'),
    status: z.enum(STATUSES).describe('paused: it runs, and its flag is switched off.'),
    user_access_level: accessFieldsSchema.user_access_level,
  })
  .meta({ id: 'Experiment', description: 'A comparison of the variants of a feature flag.' });

export const experimentPage = pageOf(experimentSchema);
