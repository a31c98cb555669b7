import { z } from 'zod';
import { object, optional, text } from '../../../http/fields.js';
import { isObject, type Json, type JsonObject } from '../../../kernel/json.js';

/** Group keys by group type. Numbers become text; keys of other types are left out. */
export function groupsOf(value: Json | undefined): Map<string, string> {
  const groups = Object.entries(isObject(value) ? value : {});
  return new Map(
    groups.flatMap(([type, key]) => (typeof key === 'string' || typeof key === 'number' ? [[type, String(key)]] : [])),
  );
}

/** Groups in a query: JSON text. */
const groupsParameter = optional(
  text({ max: 100_000, blank: true }).transform((value, ctx): Map<string, string> => {
    try {
      return groupsOf(value === '' ? {} : JSON.parse(value));
    } catch {
      ctx.addIssue({
        code: 'custom',
        message: 'Groups must be JSON: a dictionary of keys by type.',
        params: { code: 'invalid_input' },
        input: value,
      });
      return z.NEVER;
    }
  }),
).describe('Groups of the person: JSON such as `{"company":"acme"}`.');

const distinctId = text({ max: 400 }).describe('Distinct id of the person.');

export const reasonsQuery = z.object({ distinct_id: distinctId, groups: groupsParameter });
export const mineQuery = z.object({ groups: groupsParameter });

const groups = object('Groups must be a dictionary of keys by type.').transform((value): Map<string, string> => groupsOf(value));
const byType = object('Group properties must be a dictionary of dictionaries by type.').transform(
  (value): Map<string, JsonObject> =>
    new Map(Object.entries(value).flatMap(([type, own]) => (isObject(own) ? [[type, own]] : []))),
);

export const testSchema = z
  .object({
    distinct_id: distinctId,
    device_id: optional(text({ max: 400, blank: true })).describe(
      'Device id, for flags with `bucketing_identifier` `device_id`.',
    ),
    groups: optional(groups)
      .describe('Groups of the person, by type: `{"company":"acme"}`.')
      .meta({ type: 'object', additionalProperties: true }),
    person_properties: optional(object()).describe('Properties of the person that override the stored ones.'),
    group_properties: optional(byType)
      .describe('Properties of the groups, by type, that override the stored ones.')
      .meta({ type: 'object', additionalProperties: true }),
  })
  .meta({ example: { distinct_id: 'ada', groups: { company: 'acme' }, person_properties: { plan: 'pro' } } });
export type TestFields = z.output<typeof testSchema>;
