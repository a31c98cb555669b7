import { sql } from 'kysely';
import { behavioralCohorts } from '../../analytics/index.js';
import { ApiError } from '../../kernel/errors.js';
import type { Db } from '../../ports/db.js';
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

/** A flag that is not deleted, with its dependencies. */
interface FlagReference {
  id: number;
  key: string;
  active: boolean;
  /** The flags that its conditions depend on, by number (as text) or key. */
  depends: string[];
}

/** The objects of a project that filters of flags can refer to. */
export interface References {
  flags: FlagReference[];
  cohorts: number[];
  /** The cohorts whose conditions, or those of a cohort in them, are about behavior. */
  behavioral: ReadonlySet<number>;
  group_types: number[];
}

/** Reads these objects in one statement. */
export async function readReferences(db: Db, projectId: number): Promise<References> {
  const { rows } = await sql<Omit<References, 'behavioral'> & { made: { id: number; filters: unknown }[] }>`
    select
      coalesce((select json_agg(json_build_object('id', f.id, 'key', f.key, 'active', f.active, 'depends', (
          select coalesce(json_agg(name #>> '{}'), '[]')
          from jsonb_path_query(f.filters, '$.groups[*].properties[*] ? (@.type == "flag").key', '{}', true) name)))
        from feature_flags f where f.project_id = ${projectId} and not f.deleted), '[]') as flags,
      array(select id from cohorts where project_id = ${projectId} and not deleted) as cohorts,
      coalesce((select json_agg(json_build_object('id', id, 'filters', filters)) from cohorts
        where project_id = ${projectId} and not deleted
          and jsonb_path_exists(filters, '$.** ? (@.type == "behavioral" || @.type == "cohort")')), '[]') as made,
      array(select group_type_index from group_types where project_id = ${projectId}) as group_types`.execute(db);
  const { made, ...known } = rows[0] ?? { flags: [], cohorts: [], made: [], group_types: [] };
  return { ...known, behavioral: behavioralCohorts(made) };
}

/** Lists which of these dashboards the project does not have. */
export async function missingDashboards(db: Db, projectId: number, ids: readonly number[]): Promise<number[]> {
  const possible = ids.filter((id) => id > 0);
  if (possible.length === 0) return [...ids];
  const found = await db
    .selectFrom('dashboards')
    .select('id')
    .where('project_id', '=', projectId)
    .where('deleted', '=', false)
    .where((w) => w('id', '=', w.fn.any(w.val(possible))))
    .execute();
  const there = new Set(found.map(({ id }) => id));
  return ids.filter((id) => !there.has(id));
}
