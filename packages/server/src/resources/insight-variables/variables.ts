import { type ItemContext, requireResourceLevel } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/ids.js';
import { isUniqueViolation } from '../../kernel/sql.js';
import type { Db } from '../../ports/db.js';
import { type Activity, byCaller, type Change, changesBetween, recordActivity } from '../activity/index.js';
import type { VariableFields, VariableType } from './schema.js';
import {
  countVariables,
  deleteVariable,
  insertVariable,
  readVariable,
  updateVariable,
  type VariableRow,
  type VariableState,
} from './store.js';

/** Variables of a project at most. */
const MOST = 500;
const LOGGED = ['name', 'type', 'default_value', 'values'] as const;

/** Makes the loader of the variable of `params.id`, for callers with this level on insights. @throws ApiError permission_denied, not_found */
export const findFor =
  (level: 'viewer' | 'editor') =>
  async (context: ItemContext): Promise<VariableRow> => {
    await requireResourceLevel('insight', level)(context);
    const id = context.params['id'] ?? '';
    const row = isUuid(id) ? await readVariable(context.deps.db, context.project.id, id) : undefined;
    if (!row) throw new ApiError('not_found');
    return row;
  };

/** Creates a variable. @throws ApiError invalid_input: a field does not fit the type, or the name is taken */
export async function createVariable(
  context: ProjectContext,
  fields: VariableFields & { name: string; type: VariableType },
): Promise<VariableRow> {
  const { deps, project, principal } = context;
  const { name, type, default_value = null, values = null } = fields;
  const row: VariableRow = {
    id: deps.ids.uuid(),
    code_name: codeNameOf(name),
    ...checked({ name, type, default_value, values }),
    created_by: principal.userId,
    created_at: new Date(deps.clock.now()),
  };
  try {
    return await inTransaction(deps.db, async (tx) => {
      if ((await countVariables(tx, project.id)) >= MOST) {
        throw new ApiError('invalid_input', `A project may have ${MOST} variables.`);
      }
      await insertVariable(tx, project.id, row);
      await note(tx, context, row, 'created', []);
      return row;
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new ApiError('invalid_input', 'Variable with name already exists', 'name');
  }
}

/** Changes a variable; its code name stays. @throws ApiError invalid_input, not_found */
export async function patchVariable(context: ProjectContext, { id }: VariableRow, fields: VariableFields): Promise<VariableRow> {
  const { deps, project } = context;
  return inTransaction(deps.db, async (tx) => {
    const before = await readVariable(tx, project.id, id, true);
    if (!before) throw new ApiError('not_found');
    const after = { ...before, ...checked(stateOf(before, fields)) };
    await updateVariable(tx, project.id, id, after, new Date(deps.clock.now()));
    await note(tx, context, after, 'updated', changesBetween('InsightVariable', before, after, LOGGED));
    return after;
  });
}

/** Deletes a variable for good. Questions that name it fail until they or their dashboards give the value themselves. */
export async function removeVariable(context: ProjectContext, row: VariableRow): Promise<void> {
  await inTransaction(context.deps.db, async (tx) => {
    await deleteVariable(tx, context.project.id, row.id);
    await note(tx, context, row, 'deleted', []);
  });
}

/** A new type forgets the values and the default of the one before, unless the request has others. */
function stateOf(before: VariableState, { name, type, default_value, values }: VariableFields): VariableState {
  const isSame = type === undefined || type === before.type;
  return {
    name: name ?? before.name,
    type: type ?? before.type,
    default_value: default_value === undefined ? (isSame ? before.default_value : null) : default_value,
    values: values === undefined ? (isSame ? before.values : null) : values,
  };
}

const DATE = /^\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** What a default must be, by type. */
const FITS: Record<VariableType, (state: VariableState) => boolean> = {
  String: ({ default_value: value }) => typeof value === 'string',
  Number: ({ default_value: value }) => typeof value === 'number',
  Boolean: ({ default_value: value }) => typeof value === 'boolean',
  List: ({ default_value: value, values }) => typeof value === 'string' && (values ?? []).includes(value),
  Date: ({ default_value: value }) => typeof value === 'string' && DATE.test(value) && !Number.isNaN(Date.parse(value)),
};
const EXPECTED: Record<VariableType, string> = {
  String: 'Expected a text.',
  Number: 'Expected a number.',
  Boolean: 'Expected true or false.',
  List: 'Expected one of the values.',
  Date: 'Expected a date such as 2026-01-31.',
};

/** @throws ApiError invalid_input: values or default do not fit the type */
function checked(state: VariableState): VariableState {
  const { type, values, default_value } = state;
  if (type === 'List' && (values === null || values.length === 0)) {
    throw new ApiError('invalid_input', 'A list needs at least one value.', 'values');
  }
  if (type !== 'List' && values !== null && values.length > 0) {
    throw new ApiError('invalid_input', 'Only a list has values.', 'values');
  }
  if (default_value !== null && !FITS[type](state)) throw new ApiError('invalid_input', EXPECTED[type], 'default_value');
  return { ...state, values: type === 'List' ? values : null };
}

/** The name as SQL can write it: lower case, with underscores for white space. @throws ApiError invalid_input: no letter or digit is left */
function codeNameOf(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/\s+/g, '_')
    .replace(/[^a-z0-9_]/g, '');
  if (!/[a-z0-9]/.test(plain)) {
    throw new ApiError('invalid_input', 'The name needs a letter from a to z or a digit.', 'name');
  }
  return /^\d/.test(plain) ? `_${plain}` : plain;
}

const note = (tx: Db, context: ProjectContext, { id, name }: VariableRow, activity: Activity, changes: Change[]): Promise<void> =>
  recordActivity(tx, context.deps, {
    ...byCaller(context),
    activity,
    scope: 'InsightVariable',
    itemId: id,
    detail: { name, changes },
  });

/** A variable in responses. */
export const variableView = (row: VariableRow) => ({
  id: row.id,
  name: row.name,
  type: row.type,
  default_value: row.default_value,
  created_by: row.created_by,
  created_at: isoTime(row.created_at),
  code_name: row.code_name,
  values: row.values,
});
