import { z } from 'zod';
import { bool, choice, integer, list, nullable, object, optional, tagList, text } from '../../http/fields.js';

const KEY = /^[a-zA-Z0-9_-]+$/;

/** The key of a flag, as it stands in code and in addresses. */
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
    'For whom it is on: `groups` (conditions, of which one is enough), `multivariate.variants`, `payloads`, …. Left out: everybody. `groups` left out: those that it has.',
  ),
  deleted: optional(bool()).describe('True deletes the flag and frees its key; false restores it.'),
  active: optional(bool()).describe('False: it is off for everybody.'),
  ensure_experience_continuity: optional(nullable(bool())).describe(
    'Whether people keep, once they are known, the value that they had before.',
  ),
  bucketing_identifier: optional(nullable(choice(['distinct_id', 'device_id']))).describe(
    'By what percentages are drawn. Null: `distinct_id`.',
  ),
  evaluation_runtime: optional(nullable(choice(['all', 'client', 'server']))).describe(
    'Which libraries get the flag. Null: `all`.',
  ),
  evaluation_contexts: optional(nullable(words)).describe('Only for requests that name one of these contexts; none: for all.'),
  is_remote_configuration: optional(nullable(bool())).describe('Whether it is there for its payload alone.'),
  has_encrypted_payloads: optional(nullable(bool())).describe(
    'Marks payloads as secret: the activity log hides them. They are stored as sent.',
  ),
  has_enriched_analytics: optional(nullable(bool())).describe('Whether clients send more about the use of the flag.'),
  tags: optional(nullable(tagList)).describe('All its tags; they are trimmed and lower-cased. Null changes nothing.'),
  analytics_dashboards: optional(ids).describe('Dashboards about the flag.'),
};

const name = optional(text({ blank: true })).describe('What it is for. Clients show this as the description.');
const itsKey = 'What code asks for: up to 400 letters, digits, `_` and `-`, each key once in a project.';

const example = {
  key: 'new-checkout',
  name: 'The checkout on one page',
  filters: {
    groups: [{ properties: [{ key: 'plan', type: 'person', operator: 'exact', value: ['pro'] }], rollout_percentage: 20 }],
  },
  tags: ['shop'],
};

/** Of the conditions: what answers sum up of them can be sent back with them, and alone would be ignored. */
const summedUp = { rollout_percentage: z.unknown().optional().describe('Of the first condition; sent alone it is refused.') };
const requireFilters = (
  { filters, rollout_percentage: share }: { filters?: unknown; rollout_percentage?: unknown },
  ctx: z.core.$RefinementCtx<unknown>,
) => {
  if (share === undefined || share === null || filters) return;
  const message = 'Send it in filters: `{"groups": [{"rollout_percentage": …}]}`.';
  ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_input' }, path: ['rollout_percentage'] });
};

/** What a flag is made with. The order of the fields is that of their refusals. */
export const createSchema = z
  .object({ name, key: flagKey.describe(itsKey), ...fields, ...summedUp })
  .superRefine(requireFilters)
  .meta({ example });

/** What may be changed of a flag. */
export const updateSchema = z
  .object({
    name,
    key: optional(flagKey).describe(itsKey),
    ...fields,
    ...summedUp,
    version: optional(nullable(integer())).describe(
      'The version that the change starts from; when it is no longer the present one: 409.',
    ),
    original_flag: optional(nullable(object())).describe(
      'With `version`: the flag as it was then. Changes by others to other fields than yours are no conflict then.',
    ),
  })
  .superRefine(requireFilters)
  .meta({ example: { version: 1, active: false } });

export type CreateFields = z.output<typeof createSchema>;
export type UpdateFields = z.output<typeof updateSchema>;
/** Fields of either, as other rooms give them. */
export type FlagFields = Omit<UpdateFields, 'version' | 'original_flag'>;
