import { type Access, type AccessContext, accessOf } from '../../access/index.js';
import {
  mayShowProfiles,
  type ProfileOwner,
  type Query,
  querySchema,
  readExperimentData,
  shownProfiles,
} from '../../analytics/index.js';
import { ApiError } from '../../kernel/errors.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';

/*
 * A query may show the results of an experiment, or persons and groups, which have access rules of their own. Everything that computes
 * queries of users checks them before it reads a cache: the cached result is the same for everybody.
 */

/** Loads the access of a reader to what a query shows. */
export type LoadQueryAccess = (resource: 'experiment' | ProfileOwner) => Promise<Access>;

/** The caller's access to what queries show, loaded once when a query needs it. */
export function queryAccessOf(context: AccessContext): LoadQueryAccess {
  const loaded = new Map<string, Promise<Access>>();
  return (resource) => {
    const access = loaded.get(resource) ?? accessOf(context, resource);
    loaded.set(resource, access);
    return access;
  };
}

/** @throws ApiError permission_denied: the query shows the results of an experiment, or persons or groups, that are hidden from the reader */
export async function requireQueryAccess(db: Db, projectId: number, query: Query, load: LoadQueryAccess): Promise<void> {
  // without an experiment the query itself fails
  if (query.kind === 'ExperimentQuery') await requireExperiment(db, projectId, query.experimentId, load);
  if (!mayShowProfiles(query)) return;
  const hidden = await hiddenProfiles(load);
  if (hidden.size === 0) return;
  const refused = (await shownProfiles(query, { db, projectId })).find(({ of }) => hidden.has(of));
  if (refused) throw noAccessTo(refused.of, refused.field);
}

/** @throws ApiError permission_denied: the experiment is hidden from the reader */
export async function requireExperiment(db: Db, projectId: number, id: number, load: LoadQueryAccess): Promise<void> {
  const experiment = await readExperimentData(db, projectId, id);
  if (experiment) (await load('experiment')).requireOn(experiment, 'viewer');
}

/** @throws ApiError permission_denied: one of these is hidden from the reader */
export async function requireProfiles(of: readonly ProfileOwner[], load: LoadQueryAccess): Promise<void> {
  if (of.length === 0) return;
  const hidden = await hiddenProfiles(load);
  const refused = of.find((one) => hidden.has(one));
  if (refused) throw noAccessTo(refused, null);
}

const OWNERS: readonly ProfileOwner[] = ['person', 'group'];

/** Which of persons and groups are hidden from the reader. */
export async function hiddenProfiles(load: LoadQueryAccess): Promise<ReadonlySet<ProfileOwner>> {
  const access = await Promise.all(OWNERS.map(load));
  return new Set(OWNERS.filter((_, index) => access[index]?.levelOn(ANY) === 'none'));
}

/** Persons and groups have no rules of their own, and no creators. */
const ANY = { id: 0, created_by: null };

/** @param field of the query that asks for them, nested names joined by `__`; null: not known any more */
function noAccessTo(of: ProfileOwner, field: string | null): ApiError {
  const where = field === null ? '' : ` in ${field.replaceAll('__', '.')}`;
  const detail = `You do not have viewer access to ${of}s, and this query shows them${where}.`;
  return new ApiError('permission_denied', detail, field === null ? null : `query__${field}`);
}

/** The experiment whose results a stored query shows; null: it shows none. */
export function experimentIn(query: JsonObject | null): number | null {
  const { data } = querySchema.safeParse(query);
  return data?.kind === 'ExperimentQuery' ? data.experimentId : null;
}

/** The persons and groups that a stored query shows; a query that is not valid shows none. */
export async function profilesIn(db: Db, projectId: number, query: JsonObject | null): Promise<ProfileOwner[]> {
  const { data } = querySchema.safeParse(query);
  if (!data) return [];
  const shown = await orInvalid(() => shownProfiles(data, { db, projectId }), []);
  return [...new Set(shown.map(({ of }) => of))];
}

/** Whether one of these stored queries shows what is hidden from the reader. */
export async function hidesResults(
  db: Db,
  projectId: number,
  queries: readonly (JsonObject | null)[],
  load: LoadQueryAccess,
): Promise<boolean> {
  const hidden = await Promise.all(queries.map((query) => hidesResult(db, projectId, query, load)));
  return hidden.includes(true);
}

/** Whether a stored query shows what is hidden from the reader. A query that is not valid shows nothing. */
export async function hidesResult(db: Db, projectId: number, query: JsonObject | null, load: LoadQueryAccess): Promise<boolean> {
  const { data } = querySchema.safeParse(query);
  if (!data) return false;
  try {
    await orInvalid(() => requireQueryAccess(db, projectId, data, load), undefined);
    return false;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'permission_denied') return true;
    throw error;
  }
}

/** @param otherwise what stands for the outcome of work on a query that is not valid */
async function orInvalid<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return otherwise;
    throw error;
  }
}
