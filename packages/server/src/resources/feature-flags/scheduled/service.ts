import type { ProjectContext } from '../../../auth/index.js';
import { inTransaction } from '../../../http/in-transaction.js';
import { ApiError } from '../../../kernel/errors.js';
import { objectId } from '../../../kernel/ids.js';
import { isObject, type Json, type JsonObject } from '../../../kernel/json.js';
import type { Db } from '../../../ports/db.js';
import { readReferences } from '../dependencies.js';
import { requireSoundFilters } from '../filters.js';
import type { UpdateFields } from '../schema.js';
import { type FlagRow, readFlag } from '../store.js';
import type { ScheduleChange, ScheduleFields } from './schema.js';
import { deleteSchedule, insertSchedule, lockSchedule, readSchedule, type ScheduleRow, updateSchedule } from './store.js';

/** Reads the flag of a scheduled change. @throws ApiError does_not_exist */
export async function flagOf({ deps, project }: ProjectContext, recordId: string): Promise<FlagRow> {
  const id = objectId(recordId);
  const row = id === null ? null : await readFlag(deps.db, project.id, { id });
  if (!row || row.deleted) throw new ApiError('does_not_exist', `Invalid pk "${recordId}" - object does not exist.`, 'record_id');
  return row;
}

/** Schedules a change. @throws ApiError invalid_input: the change would fail now */
export async function scheduleChange(context: ProjectContext, flag: FlagRow, fields: ScheduleFields): Promise<ScheduleRow> {
  const { deps, project, principal } = context;
  await requirePossible(deps.db, context, flag, fields.payload);
  const now = new Date(deps.clock.now());
  const schedule = { ...fields, record_id: String(flag.id), created_by: principal.userId };
  const id = await insertSchedule(deps.db, project.id, schedule, now);
  const row = await readSchedule(deps.db, project.id, id);
  if (!row) throw new ApiError('not_found');
  return row;
}

/** Updates a change that has not been made yet. @throws ApiError not_found, invalid_input */
export async function reschedule(
  context: ProjectContext,
  flag: FlagRow,
  id: number,
  fields: ScheduleChange,
): Promise<ScheduleRow> {
  const { deps, project } = context;
  return inTransaction(deps.db, async (tx) => {
    await lockPending(tx, project.id, id);
    if (fields.payload) await requirePossible(tx, context, flag, fields.payload);
    await updateSchedule(tx, project.id, id, fields, new Date(deps.clock.now()));
    const row = await readSchedule(tx, project.id, id);
    if (!row) throw new ApiError('not_found');
    return row;
  });
}

/** Deletes a scheduled change, pending or past. @throws ApiError not_found */
export async function withdraw({ deps, project }: ProjectContext, id: number): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    if (!(await lockSchedule(tx, project.id, id))) throw new ApiError('not_found');
    await deleteSchedule(tx, project.id, id);
  });
}

async function lockPending(tx: Db, projectId: number, id: number): Promise<void> {
  const row = await lockSchedule(tx, projectId, id);
  if (!row) throw new ApiError('not_found');
  if (row.executed_at) throw new ApiError('invalid_input', 'This change has been made already.');
}

async function requirePossible(db: Db, { project }: ProjectContext, flag: FlagRow, payload: JsonObject): Promise<void> {
  const { filters } = plannedFields(flag, payload);
  if (filters) requireSoundFilters(filters, await readReferences(db, project.id), flag.id, 'payload');
}

/** The update that a scheduled change makes to the current flag. @throws ApiError invalid_input for `payload` */
export function plannedFields({ filters }: Pick<FlagRow, 'filters'>, { operation, value }: JsonObject): UpdateFields {
  if (operation === 'update_status') {
    if (typeof value !== 'boolean') refuse('The value of update_status must be true or false.');
    return { active: value };
  }
  if (operation === 'add_release_condition') {
    const { groups, payloads = null } = objectOf(value, operation);
    if (!Array.isArray(groups) || groups.length === 0) refuse('The value of add_release_condition needs a list of groups.');
    const others = Array.isArray(filters['groups']) ? filters['groups'] : [];
    return { filters: withPayloads({ ...filters, groups: [...others, ...groups] }, payloads) };
  }
  if (operation === 'update_variants') {
    const { variants, payloads = null } = objectOf(value, operation);
    if (!Array.isArray(variants)) refuse('The value of update_variants needs a list of variants.');
    return { filters: withPayloads({ ...filters, multivariate: { variants } }, payloads) };
  }
  return refuse('The operation must be update_status, add_release_condition or update_variants.');
}

function objectOf(value: Json | undefined, operation: string): JsonObject {
  return isObject(value) ? value : refuse(`The value of ${operation} must be a dictionary.`);
}

/** Filters with more payloads; new payloads replace existing ones with the same key. */
function withPayloads(filters: JsonObject, payloads: Json): JsonObject {
  if (payloads === null) return filters;
  if (!isObject(payloads)) return refuse('Payloads must be a dictionary.');
  return { ...filters, payloads: { ...(isObject(filters['payloads']) ? filters['payloads'] : {}), ...payloads } };
}

function refuse(detail: string): never {
  throw new ApiError('invalid_input', detail, 'payload');
}
