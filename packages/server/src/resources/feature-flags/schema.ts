import { z } from 'zod';
import { accessFieldsSchema } from '../../access/index.js';
import { userSchema } from '../../auth/index.js';
import { timeSchema } from '../../http/dates.js';
import { bool, choice, integer, list, nullable, object, optional, tagList, text } from '../../http/fields.js';
import { pageOf } from '../../http/pagination.js';

/** The parameter of paths to one flag. */
export const flagParams = { id: z.string().describe('Number or key of the flag.') };

const KEY = /^[a-zA-Z0-9_-]+$/;

/** The schema of the key of a flag, which code and addresses contain. */
export const flagKey = text({ max: 400 })
  .transform((value, ctx) => {
    if (KEY.test(value)) return value;
    const message = 'Only letters, numbers, hyphens (-) & underscores (_) are allowed.';
    ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_key' }, input: value });
    return z.NEVER;
  })
  .meta({ pattern: KEY.source });

const words = list(text({ max: 255 })).transform((all) => [...new Set(all)]);
const ids = list(integer()).transform((all) => [...new Set(all)]);

const fields = {
  filters: optional(object('Filters must be a dictionary.')).describe(
    'Whom it is on for: `groups` (conditions, of which one must match), `multivariate.variants`, `payloads` and more. Default: everybody. Without `groups`, an update does not change the conditions.',
  ),
  deleted: optional(bool()).describe('True deletes the flag and frees its key; false restores it.'),
  active: optional(bool()).describe('False: it is off for everybody.'),
  ensure_experience_continuity: optional(nullable(bool())).describe('Whether people keep their value when they are identified.'),
  bucketing_identifier: optional(nullable(choice(['distinct_id', 'device_id']))).describe(
    'The identifier that is hashed for percentages. Null: `distinct_id`.',
  ),
  evaluation_runtime: optional(nullable(choice(['all', 'client', 'server']))).describe(
    'Which libraries get the flag. Null: `all`.',
  ),
  evaluation_contexts: optional(nullable(words)).describe('Contexts in which clients get the flag; none: all.'),
  is_remote_configuration: optional(nullable(bool())).describe(
    'Whether it is remote configuration, that is only its payload matters.',
  ),
  has_encrypted_payloads: optional(nullable(bool())).describe(
    'Marks payloads as secret: the activity log hides them. They are stored as sent.',
  ),
  has_enriched_analytics: optional(nullable(bool())).describe('Whether clients send more about the use of the flag.'),
  tags: optional(nullable(tagList)).describe('All its tags; they are trimmed and lower-cased. Null changes nothing.'),
  analytics_dashboards: optional(ids).describe('Dashboards about the flag.'),
};

const name = optional(text({ blank: true })).describe('What the flag is for. Clients show this as the description.');
const itsKey = 'Key, by which code evaluates the flag: up to 400 letters, digits, `_` and `-`; unique in the project.';

const example = {
  key: 'new-checkout',
  name: 'The checkout on one page',
  filters: {
    groups: [{ properties: [{ key: 'plan', type: 'person', operator: 'exact', value: ['pro'] }], rollout_percentage: 20 }],
  },
  tags: ['shop'],
};

/** Fields that responses derive from the conditions. Requests can send them back together with `filters`; alone they are refused. */
const derived = {
  rollout_percentage: z.unknown().optional().describe('Percentage of the first condition; refused without `filters`.'),
};
const requireFilters = (
  { filters, rollout_percentage: share }: { filters?: unknown; rollout_percentage?: unknown },
  ctx: z.core.$RefinementCtx<unknown>,
) => {
  if (share === undefined || share === null || filters) return;
  const message = 'Send it in filters: `{"groups": [{"rollout_percentage": …}]}`.';
  ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_input' }, path: ['rollout_percentage'] });
};

/** The body of POST. Fields are validated in this order, and the first error is the response. */
export const createSchema = z
  .object({ name, key: flagKey.describe(itsKey), ...fields, ...derived })
  .superRefine(requireFilters)
  .meta({ example });

/** The body of PATCH and PUT. */
export const updateSchema = z
  .object({
    name,
    key: optional(flagKey).describe(itsKey),
    ...fields,
    ...derived,
    version: optional(nullable(integer())).describe(
      'The version that the change is based on; 409 when it is not the current one.',
    ),
    original_flag: optional(nullable(object())).describe(
      'With `version`: the flag in that version. Changes of other fields since then are no conflict.',
    ),
  })
  .superRefine(requireFilters)
  .meta({ example: { version: 1, active: false } });

export type CreateFields = z.output<typeof createSchema>;
export type UpdateFields = z.output<typeof updateSchema>;
/** The fields that both bodies have. */
export type FlagFields = Omit<UpdateFields, 'version' | 'original_flag'>;

const free = z.record(z.string(), z.unknown());

const feature = z.object({
  id: z.uuid().describe('Id of the early access feature.'),
  name: z.string().describe('Name.'),
  description: z.string().describe('Description.'),
  stage: z.string().describe('Stage.'),
  documentationUrl: z.string().describe('Address of its documentation; may be empty.'),
  payload: free.describe('Payload for clients.'),
  flagKey: z.string().describe('Key of the flag.'),
});

const FLAG_STATUSES = ['ACTIVE', 'INACTIVE', 'STALE', 'DELETED'] as const;
const status = z
  .enum(FLAG_STATUSES)
  .describe('ACTIVE; INACTIVE: switched off; STALE: no longer needed (`…/status/` has the reason); DELETED.');

/** The fields that requests can set, as responses and versions show them. */
const state = {
  key: z.string().describe('Key, by which code evaluates it.'),
  name: z.string().describe('What the flag is for; may be empty.'),
  filters: free.describe('Whom it is on for, its variants and payloads.'),
  deleted: z.boolean().describe('Whether it is deleted; deleted flags can be restored.'),
  active: z.boolean().describe('False: it is off for everybody.'),
  ensure_experience_continuity: z.boolean().describe('Whether people keep their value when they are identified.'),
  bucketing_identifier: z.string().describe('The identifier that is hashed for percentages: `distinct_id` or `device_id`.'),
  evaluation_runtime: z.string().describe('Which libraries get it: `all`, `client` or `server`.'),
  evaluation_contexts: z.array(z.string()).describe('Contexts in which clients get the flag; empty: all.'),
  is_remote_configuration: z.boolean().describe('Whether it is remote configuration, that is only its payload matters.'),
  has_encrypted_payloads: z.boolean().describe('Whether its payloads are secret.'),
  has_enriched_analytics: z.boolean().describe('Whether clients send more about its use.'),
  tags: z.array(z.string()).describe('Tags, in lower case.'),
  usage_dashboard: z.int().nullable().describe('Number of the dashboard about its use; null: none.'),
  analytics_dashboards: z.array(z.int()).describe('Dashboards about it.'),
};

/** A flag as responses show it. */
export const flagSchema = z
  .object({
    id: z.int().describe('Number of the flag.'),
    ...state,
    version: z.int().describe('Version; each change adds one.'),
    created_by: userSchema.nullable().describe('Who created it; null when that user is deleted.'),
    created_at: timeSchema('When it was created.'),
    updated_at: timeSchema('When it last changed.'),
    last_modified_by: userSchema.nullable().describe('Who last changed it.'),
    last_called_at: timeSchema('When a client last evaluated it; null: unknown.').nullable(),
    is_simple_flag: z.boolean().describe('Whether its only condition is a percentage of everybody.'),
    rollout_percentage: z.number().nullable().describe('That percentage; null for flags that are not simple.'),
    experiment_set: z.array(z.int()).describe('Experiments on the flag.'),
    surveys: z
      .array(z.object({ id: z.uuid().describe('Id of the survey.') }))
      .describe('Surveys that are shown only to people for whom it is on.'),
    features: z.array(feature).describe('Early access features of the flag.'),
    can_edit: z.boolean().describe('Whether you may change it.'),
    user_access_level: accessFieldsSchema.user_access_level,
    status,
  })
  .meta({ id: 'FeatureFlag', description: 'A feature flag.' });

export const flagPage = pageOf(flagSchema);

/** The status of a flag. */
export const statusSchema = z.object({ status, reason: z.string().describe('Reason, in a sentence.') });

/** One version of a flag. */
export const versionSchema = z.object({
  version: z.int().describe('Number of the version; the first is 1.'),
  created_by: userSchema.nullable().describe('Who made the change.'),
  created_at: timeSchema('When the change was made.'),
  is_current: z.boolean().describe('Whether this is the current version.'),
});
export const versionPage = pageOf(versionSchema);

/** A version, with the flag as it was. */
export const fullVersionSchema = versionSchema.extend({ flag: z.object(state).describe('The flag as it was.') });

/** A flag in short. */
export const flagNameSchema = z.object({
  id: z.int().describe('Number of the flag.'),
  key: z.string().describe('Key.'),
  name: z.string().describe('What the flag is for.'),
  active: z.boolean().describe('Whether it is switched on.'),
});
