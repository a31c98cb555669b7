import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../kernel/errors.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import type { Change } from './change.js';
import type { ExperimentRow } from './row.js';

/** The people whom a flag gives no variant; null: nobody. */
export const holdoutOf = ({ holdout }: JsonObject): JsonObject | null => (isObject(holdout) ? holdout : null);

/** Sets the holdout of an experiment on its flag, which is what honours it. @throws ApiError invalid_input, permission_denied */
export async function holdOut({ changeFlag }: Change, row: ExperimentRow, holdout: JsonObject | null): Promise<void> {
  if (isDeepStrictEqual(holdoutOf(row.flag.filters), holdout)) return;
  if (row.start_date) {
    throw new ApiError('invalid_input', 'The holdout of a started experiment cannot be changed. Reset it before.', 'holdout');
  }
  try {
    // this very change may have given the flag other variants already
    await changeFlag(row, ({ filters: { holdout: _former, ...filters } }) => ({
      filters: holdout ? { ...filters, holdout } : filters,
    }));
  } catch (error) {
    if (!(error instanceof ApiError) || error.body.attr !== 'filters') throw error;
    throw new ApiError(error.code, error.body.detail, 'holdout');
  }
}
