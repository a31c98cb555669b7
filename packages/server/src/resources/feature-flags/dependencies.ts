import { ApiError } from '../../kernel/errors.js';
import type { FlagReference } from './references-store.js';
import type { FlagRow, FlagState } from './store.js';

/** The flags whose conditions depend on a flag. */
export const dependentsOf = ({ id, key }: Pick<FlagReference, 'id' | 'key'>, flags: readonly FlagReference[]): FlagReference[] =>
  flags.filter((flag) => flag.id !== id && flag.depends.some((name) => name === String(id) || name === key));

/**
 * The keys of the cycle that flag `id` would be in if it depended on the flags `depends`; null: no cycle. A flag that depends on itself
 * is a cycle of one.
 */
export function cycleFrom(id: number, depends: readonly string[], flags: readonly FlagReference[]): string[] | null {
  const byName = new Map<string, FlagReference>();
  for (const flag of flags) byName.set(flag.key, flag);
  // an id takes precedence over an equal key, as in evaluation
  for (const flag of flags) byName.set(String(flag.id), flag);
  const own = byName.get(String(id));
  if (!own) return null;
  const from = new Map<FlagReference, FlagReference>();
  const queue: [FlagReference, readonly string[]][] = [[own, depends]];
  for (const [flag, names] of queue) {
    for (const name of names) {
      const next = byName.get(name);
      if (!next) continue;
      if (next === own) return pathTo(flag, own, from);
      if (from.has(next)) continue;
      from.set(next, flag);
      queue.push([next, next.depends]);
    }
  }
  return null;
}

function pathTo(last: FlagReference, own: FlagReference, from: ReadonlyMap<FlagReference, FlagReference>): string[] {
  const keys = [own.key];
  for (let flag: FlagReference | undefined = last; flag && flag !== own; flag = from.get(flag)) keys.unshift(flag.key);
  return [own.key, ...keys];
}

/** The number of flags or experiments that an error text names. */
const MAX_NAMED = 5;

/** Refuses to switch off or delete a flag that other flags, early access features or experiments need. @throws ApiError invalid_input */
export function requireNoDependents(row: FlagRow, state: Partial<FlagState>, flags: readonly FlagReference[]): void {
  if (state.deleted && !row.deleted) {
    const dependents = dependentsOf(row, flags);
    if (dependents.length > 0) refuse(`Cannot delete this feature flag because other flags depend on it: ${named(dependents)}.`);
    if (row.features.length > 0) {
      refuse(
        'Cannot delete a feature flag that is in use with early access features. Please delete the early access feature before deleting the flag.',
      );
    }
    if (row.running_experiments.length > 0) {
      const ids = row.running_experiments.slice(0, MAX_NAMED).join(', ');
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

const named = (flags: readonly FlagReference[]): string => {
  const first = flags.slice(0, MAX_NAMED).map(({ key, id }) => `${key} (ID: ${id})`);
  return flags.length > MAX_NAMED ? `${first.join(', ')} and ${flags.length - MAX_NAMED} more` : first.join(', ');
};
