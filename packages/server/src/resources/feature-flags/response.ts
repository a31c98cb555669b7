import { z } from 'zod';
import { accessFieldsSchema } from '../../access/index.js';
import { userSchema } from '../../auth/index.js';
import { pageOf } from '../../http/pagination.js';

const time = (description: string) => z.string().describe(description).meta({ format: 'date-time' });
const free = z.record(z.string(), z.unknown());

const feature = z.object({
  id: z.uuid().describe('Id of the early access feature.'),
  name: z.string().describe('Its name.'),
  description: z.string().describe('What it is.'),
  stage: z.string().describe('How far it is.'),
  documentationUrl: z.string().describe('Where more is said about it; may be empty.'),
  payload: free.describe('What clients are given with it.'),
  flagKey: z.string().describe('Key of the flag.'),
});

export const FLAG_STATUSES = ['ACTIVE', 'INACTIVE', 'STALE', 'DELETED'] as const;
const status = z
  .enum(FLAG_STATUSES)
  .describe('ACTIVE; INACTIVE: switched off; STALE: it has done its work (`…/status/` says why); DELETED.');

/** What a request can set of a flag, as responses and versions show it. */
const state = {
  key: z.string().describe('What code asks for.'),
  name: z.string().describe('What it is for; may be empty.'),
  filters: free.describe('For whom it is on, its variants and payloads.'),
  deleted: z.boolean().describe('Whether it is deleted; deleted flags can be restored.'),
  active: z.boolean().describe('False: it is off for everybody.'),
  ensure_experience_continuity: z.boolean().describe('Whether people keep the value that they had before they were known.'),
  bucketing_identifier: z.string().describe('By what percentages are drawn: `distinct_id` or `device_id`.'),
  evaluation_runtime: z.string().describe('Which libraries get it: `all`, `client` or `server`.'),
  evaluation_contexts: z.array(z.string()).describe('Only for requests that name one of these; empty: for all.'),
  is_remote_configuration: z.boolean().describe('Whether it is there for its payload alone.'),
  has_encrypted_payloads: z.boolean().describe('Whether its payloads count as secret.'),
  has_enriched_analytics: z.boolean().describe('Whether clients send more about its use.'),
  tags: z.array(z.string()).describe('Tags, in lower case.'),
  usage_dashboard: z.int().nullable().describe('The dashboard about its use, if there is one.'),
  analytics_dashboards: z.array(z.int()).describe('Dashboards about it.'),
};

/** A flag as responses show it. */
export const flagSchema = z
  .object({
    id: z.int().describe('Number of the flag.'),
    ...state,
    version: z.int().describe('Grows by one with each change.'),
    created_by: userSchema.nullable().describe('Who made it; null for users who are gone.'),
    created_at: time('When it was made.'),
    updated_at: time('When it last changed.'),
    last_modified_by: userSchema.nullable().describe('Who last changed it.'),
    last_called_at: time('When a client last evaluated it, as far as known.').nullable(),
    is_simple_flag: z.boolean().describe('Whether its one condition is a percentage of everybody.'),
    rollout_percentage: z.number().nullable().describe('That percentage; null for flags that are not simple.'),
    experiment_set: z.array(z.int()).describe('Experiments on the flag.'),
    surveys: z
      .array(z.object({ id: z.uuid().describe('Id of the survey.') }))
      .describe('Surveys that ask only whom it is on for.'),
    features: z.array(feature).describe('Early access features that it decides.'),
    can_edit: z.boolean().describe('Whether you may change it.'),
    user_access_level: accessFieldsSchema.user_access_level,
    status,
  })
  .meta({ id: 'FeatureFlag', description: 'A switch that gives each person or group a value.' });

export const flagPage = pageOf(flagSchema);

/** How a flag does. */
export const statusSchema = z.object({ status, reason: z.string().describe('Why, in a sentence.') });

/** One version of a flag. */
export const versionSchema = z.object({
  version: z.int().describe('Number of the version; the first is 1.'),
  created_by: userSchema.nullable().describe('Who made the change that led to it.'),
  created_at: time('When.'),
  is_current: z.boolean().describe('Whether the flag is like this now.'),
});
export const versionPage = pageOf(versionSchema);

/** One version with all that it was. */
export const fullVersionSchema = versionSchema.extend({ flag: z.object(state).describe('The flag as it was.') });

/** A flag as those lists show it that only name flags. */
export const flagNameSchema = z.object({
  id: z.int().describe('Number of the flag.'),
  key: z.string().describe('Its key.'),
  name: z.string().describe('What it is for.'),
  active: z.boolean().describe('Whether it is switched on.'),
});
