import { ApiError } from '../../kernel/errors.js';
import { dependentsOf } from './dependencies.js';
import type { KnownFlag } from './known-store.js';
import type { FlagRow, FlagState } from './row.js';

/** How many flags or experiments a refusal names. */
const MOST_NAMED = 5;

/** Whether what hangs on a flag leaves it free to be switched off or deleted. @throws ApiError invalid_input */
export function requireNotNeeded(row: FlagRow, state: Partial<FlagState>, flags: readonly KnownFlag[]): void {
  if (state.deleted && !row.deleted) {
    const dependents = dependentsOf(row, flags);
    if (dependents.length > 0) refuse(`Cannot delete this feature flag because other flags depend on it: ${named(dependents)}.`);
    if (row.features.length > 0) {
      refuse(
        'Cannot delete a feature flag that is in use with early access features. Please delete the early access feature before deleting the flag.',
      );
    }
    if (row.running_experiments.length > 0) {
      const ids = row.running_experiments.slice(0, MOST_NAMED).join(', ');
      refuse(`Cannot delete a feature flag that a running experiment uses. Please end the experiment before: ${ids}.`);
    }
  }
  if (state.active === false && row.active) {
    const dependents = dependentsOf(row, flags).filter(({ active }) => active);
    if (dependents.length > 0) {
      refuse(`Cannot disable this feature flag because other active flags depend on it: ${named(dependents)}.`);
    }
  }
}

function refuse(detail: string): never {
  throw new ApiError('invalid_input', detail);
}

const named = (flags: readonly KnownFlag[]): string => {
  const first = flags.slice(0, MOST_NAMED).map(({ key, id }) => `${key} (ID: ${id})`);
  return flags.length > MOST_NAMED ? `${first.join(', ')} and ${flags.length - MOST_NAMED} more` : first.join(', ');
};
