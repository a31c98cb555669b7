import { isDeepStrictEqual } from 'node:util';
import type { ActivityScope, Change } from './entry.js';

/** Longer values (characters of JSON) are told by their size alone: the log holds two of each. */
const MAX_VALUE = 50_000;

/**
 * What differs between two states of an object, in the order of `fields`. Null and undefined are the same. Of fields that
 * hold secrets (tokens, passwords, hashes) it is told that they changed, never what they were or are.
 */
export function changesBetween<Before extends object, After extends object>(
  scope: ActivityScope,
  before: Before,
  after: After,
  fields: readonly (keyof Before & keyof After & string)[],
): Change[] {
  return fields.flatMap((field) => {
    const [old, now]: [unknown, unknown] = [before[field] ?? null, after[field] ?? null];
    if (isDeepStrictEqual(old, now)) return [];
    return [{ type: scope, action: actionOf(old, now), field, before: shown(field, old), after: shown(field, now) }];
  });
}

function actionOf(before: unknown, after: unknown): Change['action'] {
  if (before === null) return 'created';
  return after === null ? 'deleted' : 'changed';
}

function shown(field: string, value: unknown): unknown {
  if (isSecret(field, value)) return null;
  const { length } = JSON.stringify(value) ?? '';
  return length > MAX_VALUE ? `(${length} characters)` : value;
}

/** Whether a value must not be told. What is only on or off gives nothing away: `password_required`. */
const isSecret = (field: string, value: unknown): boolean =>
  typeof value !== 'boolean' && /token|password|secret|hash/i.test(field);
