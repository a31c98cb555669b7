import { evaluateFlags } from '../evaluate.js';
import { prepareFlags } from '../prepare.js';
import type { Cohorts, Environment, FlagDefinition, FlagFilters, FlagProperty, FlagResult, Subject } from '../types.js';

export const NOW = Date.parse('2026-03-31T12:00:00Z');

let lastId = 0;

/** An active flag. */
export function flagOf(key: string, filters: FlagFilters, more: Partial<FlagDefinition> = {}): FlagDefinition {
  lastId += 1;
  return { id: lastId, key, active: true, filters, ...more };
}

/** The flag for people with the property. */
export const flagFor = (...properties: FlagProperty[]): FlagDefinition => flagOf('flag', { groups: [{ properties }] });

export const subjectOf = (subject: Partial<Subject> = {}): Subject => ({
  distinctId: 'user-1',
  personProperties: {},
  groups: {},
  ...subject,
});

/** Evaluates one flag. */
export function once(
  flag: FlagDefinition,
  subject: Partial<Subject> = {},
  environment: Partial<Environment> = {},
  cohorts: Cohorts = {},
): FlagResult {
  const result = all([flag], subject, environment, cohorts).get(flag.key);
  if (!result) throw new Error(`No result for ${flag.key}`);
  return result;
}

/** Evaluates flags together. */
export const all = (
  flags: readonly FlagDefinition[],
  subject: Partial<Subject> = {},
  environment: Partial<Environment> = {},
  cohorts: Cohorts = {},
  only?: ReadonlySet<string>,
): Map<string, FlagResult> => evaluateFlags(prepareFlags(flags, cohorts), subjectOf(subject), { now: NOW, ...environment }, only);
