import { isDeepStrictEqual } from 'node:util';
import type { ActivityScope, Change } from './entry.js';

/** Characters of JSON beyond which the log has only the length of a value, because it stores each value twice. */
const MAX_VALUE = 50_000;

/**
 * The differences between two states of an object, in the order of `fields`. Null and undefined are the same. Changes of secrets
 * (tokens, passwords, hashes) have no values.
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
    return [{ type: scope, action: actionOf(old, now), field, before: loggedValue(field, old), after: loggedValue(field, now) }];
  });
}

function actionOf(before: unknown, after: unknown): Change['action'] {
  if (before === null) return 'created';
  return after === null ? 'deleted' : 'changed';
}

function loggedValue(field: string, value: unknown): unknown {
  if (isSecret(field, value)) return null;
  const { length } = JSON.stringify(value) ?? '';
  return length > MAX_VALUE ? `(${length} characters)` : value;
}

/** Tells whether the log must not have a value. Booleans such as `password_required` are no secrets. */
const isSecret = (field: string, value: unknown): boolean =>
  typeof value !== 'boolean' && /token|password|secret|hash/i.test(field);
