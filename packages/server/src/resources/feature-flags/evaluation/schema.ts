import { z } from 'zod';
import { object, optional, text } from '../../../http/fields.js';
import { isObject, type Json, type JsonObject } from '../../../kernel/json.js';

/** Groups by the name of their type; keys may be numbers. What is neither is no group. */
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
).describe('The groups that they belong to: JSON such as `{"company":"acme"}`.');

const distinctId = text({ max: 400 }).describe('Whom to ask about.');

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
    device_id: optional(text({ max: 400, blank: true })).describe('Their device, for flags that draw by device.'),
    groups: optional(groups)
      .describe('The groups that they belong to, by type: `{"company":"acme"}`.')
      .meta({ type: 'object', additionalProperties: true }),
    person_properties: optional(object()).describe('Properties of the person that count before those stored.'),
    group_properties: optional(byType)
      .describe('The same of the groups, by type.')
      .meta({ type: 'object', additionalProperties: true }),
  })
  .meta({ example: { distinct_id: 'ada', groups: { company: 'acme' }, person_properties: { plan: 'pro' } } });
export type TestFields = z.output<typeof testSchema>;
