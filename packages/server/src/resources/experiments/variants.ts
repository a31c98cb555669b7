import { isDeepStrictEqual } from 'node:util';
import type { Variant } from '../../analytics/index.js';
import { ApiError } from '../../kernel/errors.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import type { Change } from './change.js';
import type { ExperimentRow } from './store.js';

/** Tells whether two lists of variants give every person the same value. */
export const areSame = (one: readonly Variant[], other: readonly Variant[]): boolean =>
  one.length === other.length &&
  one.every(({ key, rollout_percentage: share }, index) => {
    const counterpart = other[index];
    return counterpart?.key === key && counterpart.rollout_percentage === share;
  });

export const variantJson = ({ key, name, rollout_percentage }: Variant): JsonObject => ({
  key,
  ...(name === null ? {} : { name }),
  rollout_percentage,
});

/** The holdout of a flag, that is the people who get no variant; null: none. */
export const holdoutOf = ({ holdout }: JsonObject): JsonObject | null => (isObject(holdout) ? holdout : null);

/** Sets the holdout of an experiment on its flag, because evaluation reads it there. @throws ApiError invalid_input, permission_denied */
export async function setHoldout({ changeFlag }: Change, row: ExperimentRow, holdout: JsonObject | null): Promise<void> {
  if (isDeepStrictEqual(holdoutOf(row.flag.filters), holdout)) return;
  if (row.start_date) {
    throw new ApiError('invalid_input', 'The holdout of a started experiment cannot be changed. Reset it before.', 'holdout');
  }
  try {
    // the same request may have changed the variants of the flag
    await changeFlag(row, ({ filters: { holdout: _former, ...filters } }) => ({
      filters: holdout ? { ...filters, holdout } : filters,
    }));
  } catch (error) {
    if (!(error instanceof ApiError) || error.body.attr !== 'filters') throw error;
    throw new ApiError(error.code, error.body.detail, 'holdout');
  }
}
