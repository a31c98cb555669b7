import { countPeople } from '../../analytics/index.js';
import type { ProjectContext } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import type { JsonObject } from '../../kernel/json.js';
import type { DbTransaction } from '../../ports/db.js';
import {
  type ActivityEntry,
  byCaller,
  type Caller,
  type Change,
  changesBetween,
  kindOfChange,
  recordActivity,
} from '../activity/index.js';
import { normalizeFilters, requireNoFlagOnBehavior, requireUnused, requireValidReferences } from './conditions.js';
import { peopleInCsv } from './csv.js';
import type { CohortFields, DuplicateFields } from './schema.js';
import {
  addMembers,
  type CohortRow,
  copyMembers,
  inCohort,
  insertCohort,
  lockCohort,
  lockCohorts,
  membersByIds,
  type NewMembers,
  readCohort,
  removeMember,
  saveCount,
  updateCohort,
} from './store.js';

/** Milliseconds that a create or an update waits for the count of the people. */
const MAX_COUNT_MS = 5000;

/**
 * Creates a cohort and counts its people. `membersOf`: the static cohort whose people are in the new one, too.
 * @throws ApiError required, invalid_input
 */
export async function createCohort(context: ProjectContext, fields: CohortFields, membersOf?: number): Promise<CohortRow> {
  const { deps, project, principal } = context;
  const isStatic = fields.is_static ?? false;
  const filters = isStatic ? {} : conditionsOf(fields);
  const people = await peopleOf(deps, fields, isStatic);
  const row = await inTransaction(deps.db, async (tx) => {
    await lockCohorts(tx, project.id);
    await requireValidReferences(tx, project.id, null, filters);
    const cohort = {
      name: fields.name ?? null,
      description: fields.description ?? '',
      filters,
      is_static: isStatic,
      created_by: principal.userId,
    };
    const id = await insertCohort(tx, project.id, cohort, new Date(deps.clock.now()));
    for (const members of people) await addMembers(tx, project.id, id, members);
    if (membersOf !== undefined) await copyMembers(tx, project.id, id, membersOf);
    const made = await lockOrThrow(tx, project.id, id);
    await recordActivity(tx, deps, cohortEntry(context, made, 'created'));
    return made;
  });
  return calculate(deps, project.id, row);
}

const MAX_NAME = 400;
const COPY_SUFFIX = ' (Copy)';

/** Creates a cohort with the conditions or the people of another. @throws ApiError invalid_input: the conditions hold no more */
export function duplicateCohort(context: ProjectContext, row: CohortRow, { name }: DuplicateFields): Promise<CohortRow> {
  const { description, is_static, filters } = row;
  const title = name ?? `${(row.name || `Cohort ${row.id}`).slice(0, MAX_NAME - COPY_SUFFIX.length)}${COPY_SUFFIX}`;
  return createCohort(context, { name: title, description, is_static, filters }, is_static ? row.id : undefined);
}

/** Updates a cohort and counts its people again; `deleted` deletes and restores it. @throws ApiError required, invalid_input, not_found */
export async function patchCohort(context: ProjectContext, id: number, fields: CohortFields): Promise<CohortRow> {
  const { deps, project } = context;
  const row = await inTransaction(deps.db, async (tx) => {
    await lockCohorts(tx, project.id);
    const before = await lockOrThrow(tx, project.id, id);
    // another request may have deleted it before the lock
    if (before.deleted && fields.deleted !== false) throw new ApiError('not_found');
    if (fields.is_static !== undefined && fields.is_static !== before.is_static) {
      throw new ApiError('invalid_input', 'A cohort stays as it was created: static or not.', 'is_static');
    }
    const filters = before.is_static || fields.filters === undefined ? undefined : conditionsOf(fields);
    if (fields.deleted) await requireUnused(tx, context, id);
    else await requireValidReferences(tx, project.id, id, filters ?? before.filters);
    const { name, description, deleted } = fields;
    const change = { name, description: description === null ? '' : description, deleted, filters };
    await updateCohort(tx, project.id, id, change, new Date(deps.clock.now()));
    if (filters || deleted === false) await requireNoFlagOnBehavior(tx, context);
    for (const members of await peopleOf(deps, fields, before.is_static)) await addMembers(tx, project.id, id, members);
    return recordUpdate(tx, context, before);
  });
  return calculate(deps, project.id, row);
}

/** Adds people to a static cohort, or removes one. @throws ApiError not_found: the cohort is deleted, or the person is not in it */
export async function changePeople(
  context: ProjectContext,
  id: number,
  change: { add: readonly string[] } | { remove: string },
): Promise<void> {
  const { deps, project } = context;
  await inTransaction(deps.db, async (tx) => {
    const before = await lockOrThrow(tx, project.id, id);
    if (before.deleted) throw new ApiError('not_found');
    if ('add' in change) await addMembers(tx, project.id, id, membersByIds(change.add));
    else if (!(await removeMember(tx, project.id, id, change.remove))) {
      throw new ApiError('not_found', 'This person is not in the cohort.');
    }
    await updateCohort(tx, project.id, id, {}, new Date(deps.clock.now()));
    await recordUpdate(tx, context, before);
  });
}

/** Stores the new number of people of a static cohort and records the changes since `before`. */
async function recordUpdate(tx: DbTransaction, context: ProjectContext, before: CohortRow): Promise<CohortRow> {
  const { deps, project } = context;
  const changed = await lockOrThrow(tx, project.id, before.id);
  if (changed.is_static) await saveCount(tx, project.id, changed, changed.count, new Date(deps.clock.now()));
  await recordActivity(tx, deps, updateEntry(context, before, changed));
  return changed;
}

async function lockOrThrow(tx: DbTransaction, projectId: number, id: number): Promise<CohortRow> {
  const row = await lockCohort(tx, projectId, id);
  if (!row) throw new ApiError('not_found');
  return row;
}

function conditionsOf({ filters }: CohortFields): JsonObject {
  if (filters === undefined) throw new ApiError('required', undefined, 'filters');
  if (filters === null) throw new ApiError('null', undefined, 'filters');
  return normalizeFilters(filters);
}

async function peopleOf(
  { scheduler }: Deps,
  { csv, _create_static_person_ids: ids }: CohortFields,
  isStatic: boolean,
): Promise<NewMembers[]> {
  const people = [...(ids ? [membersByIds(ids)] : []), ...(csv ? [await peopleInCsv(csv, scheduler)] : [])];
  if (people.length > 0 && !isStatic) {
    throw new ApiError('invalid_input', 'Only static cohorts are lists of people.', ids ? '_create_static_person_ids' : 'csv');
  }
  return people;
}

/** Counts the people in a cohort and stores the number. If that fails or takes too long, the old number stays and `errors_calculating` grows. */
async function calculate(deps: Deps, projectId: number, row: CohortRow): Promise<CohortRow> {
  const count = row.deleted ? row.count : await countOf(deps, projectId, row);
  if (!row.deleted) await saveCount(deps.db, projectId, row, count, new Date(deps.clock.now()));
  return (await readCohort(deps.db, projectId, row.id)) ?? row;
}

async function countOf(deps: Deps, projectId: number, row: CohortRow): Promise<number | null> {
  try {
    // each read of the row counts a static cohort
    if (row.is_static) return row.count;
    return (await countPeople(deps, projectId, [inCohort(row)], AbortSignal.timeout(MAX_COUNT_MS))).matching;
  } catch (error) {
    deps.log.warn({ err: error, cohort: row.id }, 'the people of a cohort could not be counted');
    return null;
  }
}

/** The entry of the activity log for something that the caller did with a cohort. */
const cohortEntry = (
  caller: Caller,
  row: CohortRow,
  activity: ActivityEntry['activity'],
  changes: readonly Change[] = [],
): ActivityEntry => ({
  ...byCaller(caller),
  scope: 'Cohort',
  itemId: row.id,
  activity,
  detail: { name: row.name, changes },
});

/** The entry for an update of a cohort or of its people. */
function updateEntry(caller: Caller, before: CohortRow, after: CohortRow): ActivityEntry {
  const people = after.is_static ? (['count'] as const) : [];
  const changes = changesBetween('Cohort', before, after, ['name', 'description', 'filters', 'deleted', ...people]);
  return cohortEntry(caller, after, kindOfChange(before, after), changes);
}
