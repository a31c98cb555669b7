import { z } from 'zod';
import { integer, list, nullable, optional, text, uuid } from '../../http/atoms.js';
import { isScope } from '../../kernel/scopes.js';

const label = text({ max: 40 });

const known = list(z.unknown()).transform((scopes, context): string[] => {
  const unknown = scopes.find((scope) => typeof scope !== 'string' || !isScope(scope));
  if (unknown !== undefined) {
    const shown = (typeof unknown === 'string' ? unknown : JSON.stringify(unknown)).slice(0, 100);
    context.addIssue({ code: 'custom', message: `Invalid scope: ${shown}`, params: { code: 'invalid_input' } });
    return z.NEVER;
  }
  const distinct = [...new Set(scopes.map(String))];
  // clients from before there were scopes send an empty list for a key that may do all
  return distinct.length > 0 ? distinct : ['*'];
});

const teams = optional(nullable(list(integer())));
const organizations = optional(nullable(list(uuid())));

export const createSchema = z.object({ label, scopes: known, scoped_teams: teams, scoped_organizations: organizations });
export const patchSchema = z.object({
  label: optional(label),
  scopes: optional(known),
  scoped_teams: teams,
  scoped_organizations: organizations,
});

export type KeyFields = z.output<typeof patchSchema>;
