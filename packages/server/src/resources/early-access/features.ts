import type { Access } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import type { DbTransaction } from '../../ports/db.js';
import { type Activity, byCaller, changesBetween, recordActivity } from '../activity/index.js';
import { changeFlag, createFlag, type FlagRow, type LinkedFlag, lockFlags, readFlag } from '../feature-flags/index.js';
import { filtersAt, initialFilters, keyFrom, requireCompatible } from './enrollment.js';
import type { ChangeFields, NewFields, Stage } from './schema.js';
import { deleteFeature, type FeatureRow, type FeatureState, insertFeature, readFeature, updateFeature } from './store.js';

/** Creates a feature, and a flag unless the request names one. `access`: the caller's access to flags. @throws ApiError does_not_exist, invalid_input, permission_denied */
export async function createFeature(context: ProjectContext, access: Access, fields: NewFields): Promise<FeatureRow> {
  const { deps, project, principal } = context;
  const stage = fields.stage ?? 'draft';
  return inTransaction(deps.db, async (tx) => {
    await lockFlags(tx, project.id);
    const flag =
      fields.feature_flag_id == null
        ? await createFlag(tx, context, { key: await freeKey(tx, project.id, fields.name), filters: initialFilters(stage) })
        : await linkFlag(tx, context, access, fields.feature_flag_id, stage);
    const feature = {
      ...stateOf({ ...EMPTY, name: fields.name }, fields),
      id: deps.ids.uuid(),
      feature_flag_id: flag.id,
      created_by: principal.userId,
    };
    await insertFeature(tx, project.id, feature, new Date(deps.clock.now()));
    return recordAndRead(tx, context, 'created', feature.id, null);
  });
}

/** Updates a feature, and its flag when the stage changes. @throws ApiError not_found, invalid_input, permission_denied */
export async function patchFeature(
  context: ProjectContext,
  access: Access,
  id: string,
  fields: ChangeFields,
): Promise<FeatureRow> {
  const { deps, project } = context;
  return inTransaction(deps.db, async (tx) => {
    await lockFlags(tx, project.id);
    const before = await readOrThrow(tx, project.id, id);
    requireEditor(access, before);
    if (fields.feature_flag_id !== undefined && fields.feature_flag_id !== (before.feature_flag?.id ?? null)) {
      throw new ApiError('invalid_input', 'The flag of a feature stays as it was created.', 'feature_flag_id');
    }
    const state = stateOf(before, fields);
    if (state.stage !== before.stage) await moveFlag(tx, context, access, before, state.stage);
    await updateFeature(tx, project.id, id, state, new Date(deps.clock.now()));
    return recordAndRead(tx, context, 'updated', id, before);
  });
}

/** Deletes a feature. Its flag stays, without enrollment. @throws ApiError not_found, permission_denied */
export async function removeFeature(context: ProjectContext, access: Access, id: string): Promise<void> {
  const { deps, project } = context;
  await inTransaction(deps.db, async (tx) => {
    await lockFlags(tx, project.id);
    const before = await readOrThrow(tx, project.id, id);
    requireEditor(access, before);
    await moveFlag(tx, context, access, before, null);
    await deleteFeature(tx, project.id, id);
    await record(tx, context, 'deleted', before, null);
  });
}

/** Checks the access rules of the feature's flag, or of all flags if it has none. @throws ApiError permission_denied */
function requireEditor(access: Access, { feature_flag: flag }: FeatureRow): void {
  if (flag) access.requireOn(flag, 'editor');
  else access.requireResource('editor');
}

async function linkFlag(tx: DbTransaction, context: ProjectContext, access: Access, id: number, stage: Stage): Promise<FlagRow> {
  const flag = id > 0 ? await readFlag(tx, context.project.id, { id }) : null;
  if (!flag || flag.deleted) {
    throw new ApiError('does_not_exist', `Invalid pk "${id}" - object does not exist.`, 'feature_flag_id');
  }
  access.requireOn(flag, 'editor');
  requireCompatible(flag);
  return changeFlag(tx, context, id, ({ filters }) => ({ filters: filtersAt(stage, filters) }));
}

async function moveFlag(
  tx: DbTransaction,
  context: ProjectContext,
  access: Access,
  { feature_flag: flag }: FeatureRow,
  stage: Stage | null,
): Promise<void> {
  if (!flag || flag.deleted) return;
  access.requireOn(flag, 'editor');
  await changeFlag(tx, context, flag.id, ({ filters }) => ({ filters: filtersAt(stage, filters) }));
}

/** Makes a key from a name, with a number if another flag of the project has it. */
async function freeKey(tx: DbTransaction, projectId: number, name: string): Promise<string> {
  const key = keyFrom(name);
  for (let n = 1; ; n++) {
    const candidate = n === 1 ? key : `${key}-${n}`;
    if (!(await readFlag(tx, projectId, { key: candidate }))) return candidate;
  }
}

async function readOrThrow(tx: DbTransaction, projectId: number, id: string): Promise<FeatureRow> {
  const row = await readFeature(tx, projectId, id);
  if (!row) throw new ApiError('not_found');
  return row;
}

const EMPTY = { description: '', stage: 'draft', documentation_url: '', payload: {} } as const;

const stateOf = (before: FeatureState, fields: ChangeFields): FeatureState => ({
  name: fields.name ?? before.name,
  description: fields.description === undefined ? before.description : (fields.description ?? ''),
  stage: fields.stage ?? before.stage,
  documentation_url: fields.documentation_url === undefined ? before.documentation_url : (fields.documentation_url ?? ''),
  payload: fields.payload === undefined ? before.payload : (fields.payload ?? {}),
});

/** Records a change and returns the new row. */
async function recordAndRead(
  tx: DbTransaction,
  context: ProjectContext,
  activity: Activity,
  id: string,
  before: FeatureRow | null,
): Promise<FeatureRow> {
  const after = await readOrThrow(tx, context.project.id, id);
  await record(tx, context, activity, before, after);
  return after;
}

async function record(
  tx: DbTransaction,
  context: ProjectContext,
  activity: Activity,
  before: FeatureRow | null,
  after: FeatureRow | null,
): Promise<void> {
  const fields = ['name', 'description', 'stage', 'documentation_url', 'payload'] as const;
  await recordActivity(tx, context.deps, {
    ...byCaller(context),
    activity,
    scope: 'EarlyAccessFeature',
    itemId: (after ?? before)?.id ?? null,
    detail: {
      name: (after ?? before)?.name ?? null,
      changes: before && after ? changesBetween('EarlyAccessFeature', before, after, fields) : [],
    },
  });
}

/** A feature as responses show it, without a flag that the access rules hide from the caller. `access`: the caller's access to flags. */
export function featureView({ project }: ProjectContext, access: Access, { feature_flag: flag, ...row }: FeatureRow) {
  return {
    id: row.id,
    feature_flag: flag && access.levelOn(flag) !== 'none' ? flagView(project.id, flag) : null,
    name: row.name,
    description: row.description,
    stage: row.stage,
    documentation_url: row.documentation_url,
    payload: row.payload,
    created_at: isoTime(row.created_at),
  };
}

const flagView = (projectId: number, { created_by: _, ...flag }: LinkedFlag) => ({ ...flag, team_id: projectId });
