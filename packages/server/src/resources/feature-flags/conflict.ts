import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../kernel/errors.js';
import type { FlagRow, FlagState } from './row.js';
import type { UpdateFields } from './schema.js';

/**
 * Whether a change that starts from an older version may still be made: only if it says what the flag was then, and nobody
 * has since changed what it changes.
 * @throws ApiError conflict
 */
export function requireNoConflict(
  row: FlagRow,
  { version, original_flag: original }: UpdateFields,
  state: Partial<FlagState>,
): void {
  if (version === undefined || version === null || version === row.version) return;
  const now: Record<string, unknown> = { ...row };
  const isFree = (field: string) => original && field in original && isDeepStrictEqual(original[field], now[field]);
  if (original && Object.keys(state).every(isFree)) return;
  const who = row.editor?.email ?? 'another user';
  throw new ApiError(
    'conflict',
    `The feature flag was updated by ${who} since you started editing it: it has version ${row.version} now. Please refresh and try again.`,
    'version',
  );
}
