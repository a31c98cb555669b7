import { z } from 'zod';
import { isoTime } from '../http/dates.js';
import { choice, nullable, optional, text, uuid } from '../http/fields.js';
import { ACCESS_RESOURCES } from './levels.js';
import type { RuleRow } from './rules-store.js';

const levelField = (levels: readonly string[]) =>
  nullable(
    text({ blank: true }).transform((level, context) => {
      if (levels.includes(level)) return level;
      const message = `Invalid access level. Must be one of: ${levels.join(', ')}`;
      context.addIssue({ code: 'custom', message, params: { code: 'invalid_input' }, input: context.value });
      return z.NEVER;
    }),
  ).describe(`One of ${levels.join(', ')}; null removes the rule.`);

const subject = {
  organization_member: optional(nullable(uuid())).describe('Membership of the organization that the rule is for.'),
  role: optional(nullable(uuid())).describe('Role that the rule is for. Neither member nor role: the rule for everybody.'),
};

/** A rule about one object whose levels are these. */
export const ruleSchema = (levels: readonly string[]) =>
  z
    .object({ access_level: levelField(levels), ...subject })
    .meta({ example: { access_level: levels[1] ?? null, organization_member: '0192f3a1-7c1e-7b5a-9f58-3f1d2c4b5a69' } });

/** A rule about all objects of a kind. */
export const resourceRuleSchema = (levels: readonly string[]) =>
  z
    .object({
      resource: choice(ACCESS_RESOURCES).describe('Kind of object that the rule is about.'),
      access_level: levelField(levels),
      ...subject,
    })
    .meta({ example: { resource: 'dashboard', access_level: 'viewer' } });

/** The response to a PUT that removes a rule, in the API description. */
export const removedAnswer = { 204: { description: 'There is no such rule (any more).', schema: null } };

/** A rule as responses show it. */
export const ruleResponse = z
  .object({
    access_level: z.string().describe('Level that the rule gives.'),
    resource: z.string().describe('Kind of object: `dashboard`, `insight`, `project`, …'),
    resource_id: z.string().nullable().describe('Identifier of the object as text; null for all objects of the kind.'),
    organization_member: z.uuid().nullable().describe('Membership that the rule is for.'),
    role: z.uuid().nullable().describe('Role that the rule is for.'),
    created_by: z.int().nullable().describe('Identifier of the user who made the rule.'),
    created_at: z.iso.datetime().describe('When the rule was made.'),
    updated_at: z.iso.datetime().describe('When the rule was last changed.'),
  })
  .meta({ id: 'AccessRule', description: 'A level that everybody, a role or a member has on an object or a kind of object.' });

/** The response with all rules on one object. */
export const rulesResponse = z
  .object({
    access_controls: z.array(ruleResponse).describe('The rules, oldest first.'),
    available_access_levels: z.array(z.string()).describe('Levels that a rule may give, lowest first.'),
    default_access_level: z.string().describe('Level of everybody whom no rule is for.'),
    minimum_access_level: z.string().describe('Lowest level that a rule may give.'),
    maximum_access_level: z.string().describe('Highest level that a rule may give.'),
    user_access_level: z.string().describe('Your own level.'),
    user_can_edit_access_levels: z.boolean().describe('Whether you may make and change rules here.'),
  })
  .meta({ id: 'AccessRules', description: 'The rules on an object or kind of object, and what they come to.' });

/** A rule as responses show it. */
export const ruleView = (row: RuleRow) => ({
  access_level: row.access_level,
  resource: row.resource,
  resource_id: row.resource_id,
  organization_member: row.membership_id,
  role: row.role_id,
  created_by: row.created_by,
  created_at: isoTime(row.created_at),
  updated_at: isoTime(row.updated_at),
});

export type RuleView = ReturnType<typeof ruleView>;

/** The response that lists the rules on one object or on the project. `levels`: lowest first. */
export const rulesView = (
  rows: readonly RuleRow[],
  levels: readonly string[],
  defaultLevel: string,
  userLevel: string,
  canEdit: boolean,
) => ({
  access_controls: rows.map(ruleView),
  available_access_levels: levels,
  default_access_level: defaultLevel,
  minimum_access_level: levels[0],
  maximum_access_level: levels.at(-1),
  user_access_level: userLevel,
  user_can_edit_access_levels: canEdit,
});
