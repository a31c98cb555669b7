import { z } from 'zod';
import { integer, list, nullable, optional, text, uuid } from '../../http/fields.js';
import { isScope } from '../../kernel/rights.js';

const label = text({ max: 40 }).describe('What the key is for, for its owner.');

const known = list(z.unknown().meta({ type: 'string' })).transform((scopes, context): string[] => {
  const unknown = scopes.find((scope) => typeof scope !== 'string' || !isScope(scope));
  if (unknown !== undefined) {
    const shown = (typeof unknown === 'string' ? unknown : JSON.stringify(unknown)).slice(0, 100);
    context.addIssue({ code: 'custom', message: `Invalid scope: ${shown}`, params: { code: 'invalid_input' } });
    return z.NEVER;
  }
  if (scopes.length === 0) {
    const message = 'This list may not be empty. Use "*" for a key that may do everything.';
    context.addIssue({ code: 'custom', message, params: { code: 'invalid_input' } });
    return z.NEVER;
  }
  return [...new Set(scopes.map(String))];
});

const scopes = known
  .describe(
    'What the key may do: `<object>:read`, `<object>:write` or `*` for everything. `:write` covers `:read`. An empty list is refused.',
  )
  .meta({ example: ['dashboard:write', 'insight:read'] });
const teams = optional(nullable(list(integer()))).describe('Numbers of the only projects that the key reaches; empty: all.');
const organizations = optional(nullable(list(uuid()))).describe(
  'UUIDs of the only organizations that the key reaches; empty: all.',
);

export const createSchema = z
  .object({ label, scopes, scoped_teams: teams, scoped_organizations: organizations })
  .meta({ example: { label: 'Weekly report', scopes: ['dashboard:read', 'insight:read'] } });
export const patchSchema = z
  .object({
    label: optional(label).describe('What the key is for, for its owner.'),
    scopes: optional(known).describe('What the key may do from now on.'),
    scoped_teams: teams,
    scoped_organizations: organizations,
  })
  .meta({ example: { label: 'Monthly report', scoped_teams: [1] } });

/** A key as its owner sees it. */
export const keySchema = z
  .object({
    id: z.string().describe('Identifies the key; not secret.'),
    label: z.string().describe('What the key is for.'),
    value: z
      .string()
      .nullable()
      .describe('The key itself: only in the answer that made it or gave it a new value, null ever after. It is not stored.'),
    mask_value: z.string().describe('A masked form of the key, enough to recognize it.').meta({ example: 'tms_...abcd' }),
    created_at: z.iso.datetime().describe('When the key was made.'),
    last_used_at: z.iso.datetime().nullable().describe('When the key was last used, to the hour; null: never.'),
    user_id: z.int().describe('Number of the user for whom the key acts.'),
    scopes: z.array(z.string()).describe('What the key may do.'),
    scoped_teams: z.array(z.int()).describe('Numbers of the only projects that the key reaches; empty: all.'),
    scoped_organizations: z.array(z.uuid()).describe('UUIDs of the only organizations that the key reaches; empty: all.'),
  })
  .meta({ id: 'PersonalAPIKey', description: 'A personal API key.' });

/** The parameter of paths to one key. */
export const keyParams = { id: z.string().describe('Id of the key; `@current` is the one that asks.') };

export type KeyFields = z.output<typeof patchSchema>;
