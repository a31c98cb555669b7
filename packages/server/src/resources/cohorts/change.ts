import type { ProjectContext } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import type { JsonObject } from '../../kernel/json.js';
import type { DbTransaction } from '../../ports/db.js';
import { recordActivity } from '../activity/index.js';
import { calculate } from './calculate.js';
import { normalFilters, requireSound } from './conditions.js';
import { peopleInCsv } from './csv.js';
import { addMembers, removeMember, type Wanted } from './members-store.js';
import { cohortEntry, updateEntry } from './note.js';
import type { CohortRow } from './row.js';
import type { CohortFields } from './schema.js';
import { holdCohorts, insertCohort, lockCohort, saveCount, updateCohort } from './store.js';
import { requireNoFlagOnBehavior, requireUnused } from './used-by.js';
import { wantedPeople } from './wanted.js';

/** Makes a cohort and counts who is in it. @throws ApiError required, invalid_input */
export async function createCohort(context: ProjectContext, fields: CohortFields): Promise<CohortRow> {
  const { deps, project, principal } = context;
  const isStatic = fields.is_static ?? false;
  const filters = isStatic ? {} : conditionsOf(fields);
  const people = await peopleOf(fields, isStatic);
  const row = await inTransaction(deps.db, async (tx) => {
    await holdCohorts(tx, project.id);
    await requireSound(tx, project.id, null, filters);
    const cohort = {
      name: fields.name ?? null,
      description: fields.description ?? '',
      filters,
      is_static: isStatic,
      created_by: principal.userId,
    };
    const id = await insertCohort(tx, project.id, cohort, new Date(deps.clock.now()));
    for (const wanted of people) await addMembers(tx, project.id, id, wanted);
    const made = await require(tx, project.id, id);
    await recordActivity(tx, deps, cohortEntry(context, made, 'created'));
    return made;
  });
  return calculate(deps, project.id, row);
}

/** Changes a cohort as a request asks for, and counts again. @throws ApiError required, invalid_input, not_found */
export async function patchCohort(context: ProjectContext, id: number, fields: CohortFields): Promise<CohortRow> {
  const { deps, project } = context;
  const row = await inTransaction(deps.db, async (tx) => {
    await holdCohorts(tx, project.id);
    const before = await require(tx, project.id, id);
    // somebody else may have been faster
    if (before.deleted && fields.deleted !== false) throw new ApiError('not_found');
    if (fields.is_static !== undefined && fields.is_static !== before.is_static) {
      throw new ApiError('invalid_input', 'A cohort stays as it was created: static or not.', 'is_static');
    }
    const filters = before.is_static || fields.filters === undefined ? undefined : conditionsOf(fields);
    if (fields.deleted) await requireUnused(tx, context, id);
    else await requireSound(tx, project.id, id, filters ?? before.filters);
    const { name, description, deleted } = fields;
    const change = { name, description: description === null ? '' : description, deleted, filters };
    await updateCohort(tx, project.id, id, change, new Date(deps.clock.now()));
    if (filters || deleted === false) await requireNoFlagOnBehavior(tx, context);
    for (const wanted of await peopleOf(fields, before.is_static)) await addMembers(tx, project.id, id, wanted);
    return noted(tx, context, before);
  });
  return calculate(deps, project.id, row);
}

/** Puts people into a list, or takes one out. @throws ApiError not_found: the cohort is gone, or the person is not in it */
export async function changePeople(
  context: ProjectContext,
  id: number,
  change: { add: readonly string[] } | { remove: string },
): Promise<void> {
  const { deps, project } = context;
  await inTransaction(deps.db, async (tx) => {
    const before = await require(tx, project.id, id);
    if (before.deleted) throw new ApiError('not_found');
    if ('add' in change) await addMembers(tx, project.id, id, wantedPeople(change.add));
    else if (!(await removeMember(tx, project.id, id, change.remove))) {
      throw new ApiError('not_found', 'This person is not in the cohort.');
    }
    await updateCohort(tx, project.id, id, {}, new Date(deps.clock.now()));
    await noted(tx, context, before);
  });
}

/** Keeps how many are in a list, and writes down what is different now. */
async function noted(tx: DbTransaction, context: ProjectContext, before: CohortRow): Promise<CohortRow> {
  const { deps, project } = context;
  const changed = await require(tx, project.id, before.id);
  if (changed.is_static) await saveCount(tx, project.id, changed, changed.count, new Date(deps.clock.now()));
  await recordActivity(tx, deps, updateEntry(context, before, changed));
  return changed;
}

async function require(tx: DbTransaction, projectId: number, id: number): Promise<CohortRow> {
  const row = await lockCohort(tx, projectId, id);
  if (!row) throw new ApiError('not_found');
  return row;
}

function conditionsOf({ filters }: CohortFields): JsonObject {
  if (filters === undefined) throw new ApiError('required', undefined, 'filters');
  if (filters === null) throw new ApiError('null', undefined, 'filters');
  return normalFilters(filters);
}

async function peopleOf({ csv, _create_static_person_ids: ids }: CohortFields, isStatic: boolean): Promise<Wanted[]> {
  const people = [...(ids ? [wantedPeople(ids)] : []), ...(csv ? [await peopleInCsv(csv)] : [])];
  if (people.length > 0 && !isStatic) {
    throw new ApiError('invalid_input', 'Only static cohorts are lists of people.', ids ? '_create_static_person_ids' : 'csv');
  }
  return people;
}
