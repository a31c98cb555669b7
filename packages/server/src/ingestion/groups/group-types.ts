import type { Cache, Caches } from '../../caches/index.js';
import type { Deps } from '../../deps.js';
import type { Db } from '../../ports/db.js';
import { findGroupTypes, insertGroupTypes, lockProjects } from './store.js';

/** Limit of group types per project: events have a column for each. */
export const MAX_GROUP_TYPES = 5;

/** Limit of cached projects. */
const MAX_PROJECTS = 10_000;

/** Indexes by name, of one project. */
type Types = Map<string, number>;

/**
 * Cache of group types by project. Types are never renamed or removed, so an entry is never stale; only the absence of a type may change, until
 * the project has all five.
 */
export type GroupTypes = Cache<number, Types>;

export const createGroupTypes = (caches: Caches): GroupTypes =>
  caches.create({ name: 'group_types', max: { entries: MAX_PROJECTS } });

/**
 * The group types of the projects, after assigning the next free indexes to new names in `wanted`, in their order. A sixth type gets no index.
 */
export async function groupTypes(
  { db, cache, now }: { db: Db; cache: GroupTypes; now: number },
  wanted: ReadonlyMap<number, ReadonlySet<string>>,
): Promise<ReadonlyMap<number, Types>> {
  const types = typesOf(cache, wanted.keys());
  const isUnclear = ([projectId, names]: [number, ReadonlySet<string>]) => {
    const has = types.get(projectId);
    return (has?.size ?? 0) < MAX_GROUP_TYPES && [...names].some((name) => !has?.has(name));
  };
  let unclear = [...wanted].filter(isUnclear);
  if (unclear.length > 0) await refresh(db, types, unclear);
  unclear = unclear.filter(isUnclear);
  if (unclear.length > 0) await assign(db, now, types, unclear);
  return types;
}

/** Makes a group type, as its first use in an event does. Returns its index; null: the project has five others. */
export async function ensureGroupType(
  { db, clock, services }: Pick<Deps, 'db' | 'clock'> & { services: Pick<Deps['services'], 'groupTypes'> },
  projectId: number,
  name: string,
): Promise<number | null> {
  const context = { db, cache: services.groupTypes, now: clock.now() };
  const types = await groupTypes(context, new Map([[projectId, new Set([name])]]));
  return types.get(projectId)?.get(name) ?? null;
}

/** The entries of these projects, which become the most recently used; a later eviction does not reach the returned map. */
function typesOf(cache: GroupTypes, projectIds: Iterable<number>): Map<number, Types> {
  const own = new Map<number, Types>();
  for (const projectId of projectIds) {
    const types = cache.get(projectId) ?? new Map<string, number>();
    own.set(projectId, types);
    cache.set(projectId, types);
  }
  return own;
}

type Wanted = [projectId: number, names: ReadonlySet<string>][];

async function refresh(db: Db, types: Map<number, Types>, wanted: Wanted): Promise<void> {
  for (const row of await findGroupTypes(
    db,
    wanted.map(([projectId]) => projectId),
  )) {
    addType(types, row.project_id, row.group_type, row.group_type_index);
  }
}

async function assign(db: Db, now: number, types: Map<number, Types>, wanted: Wanted): Promise<void> {
  const given = await db
    .transaction()
    .setIsolationLevel('read committed')
    .execute(async (trx) => {
      const living = await lockProjects(
        trx,
        wanted.map(([projectId]) => projectId),
      );
      // another server may have assigned some meanwhile; the lock excludes it from here on
      const present = await findGroupTypes(trx, living);
      const fresh = wanted
        .filter(([projectId]) => living.includes(projectId))
        .flatMap(([projectId, names]) => {
          const taken = present.filter((type) => type.project_id === projectId);
          const missing = [...names].filter((name) => !taken.some((type) => type.group_type === name));
          return missing
            .map((name, i) => ({ project_id: projectId, group_type: name, group_type_index: taken.length + i }))
            .filter((type) => type.group_type_index < MAX_GROUP_TYPES);
        });
      if (fresh.length > 0) await insertGroupTypes(trx, now, fresh);
      return [...present, ...fresh];
    });
  for (const row of given) addType(types, row.project_id, row.group_type, row.group_type_index);
}

function addType(types: Map<number, Types>, projectId: number, name: string, index: number): void {
  const has = types.get(projectId) ?? new Map<string, number>();
  has.set(name, index);
  types.set(projectId, has);
}
