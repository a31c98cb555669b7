import { type Access, findersOf } from '../../access/index.js';
import { type ProjectContext, usersById } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import type { DbTransaction } from '../../ports/db.js';
import { byCaller, changesBetween, kindOfChange, recordActivity } from '../activity/index.js';
import type { ActionFields } from './schema.js';
import { type ActionRow, type ActionState, findByName, insertAction, lockActions, readAction, updateAction } from './store.js';

const { readLive, findVisible, findEditable } = findersOf<ActionRow>({
  resource: 'action',
  read: ({ deps, project }, id) => readAction(deps.db, project.id, id),
});

export { findEditable, findVisible, readLive };

const EMPTY: ActionState = { name: null, description: '', tags: [], steps: [], pinned_at: null, deleted: false };

/** Creates an action. @throws ApiError unique: another action has the name */
export function createAction(context: ProjectContext, fields: ActionFields): Promise<ActionRow> {
  const { deps, project, principal } = context;
  return inTransaction(deps.db, async (tx) => {
    await lockActions(tx, project.id);
    const state = stateOf(EMPTY, fields);
    await requireUniqueName(tx, project.id, null, state);
    const id = await insertAction(tx, project.id, { ...state, created_by: principal.userId }, new Date(deps.clock.now()));
    const row = await readOrThrow(tx, project.id, id);
    await recordActivity(tx, deps, { ...entryOf(context, row), activity: 'created' });
    return row;
  });
}

/** Updates an action; `deleted` deletes and restores it. @throws ApiError unique, not_found */
export function patchAction(context: ProjectContext, id: number, fields: ActionFields): Promise<ActionRow> {
  const { deps, project } = context;
  return inTransaction(deps.db, async (tx) => {
    await lockActions(tx, project.id);
    const before = await readOrThrow(tx, project.id, id);
    // another request may have deleted it before the lock
    if (before.deleted && fields.deleted !== false) throw new ApiError('not_found');
    const state = stateOf(before, fields);
    await requireUniqueName(tx, project.id, id, state);
    await updateAction(tx, project.id, id, state, new Date(deps.clock.now()));
    const after = await readOrThrow(tx, project.id, id);
    const changes = changesBetween('Action', before, after, ['name', 'description', 'tags', 'steps', 'pinned_at', 'deleted']);
    const { detail, ...entry } = entryOf(context, after);
    await recordActivity(tx, deps, { ...entry, activity: kindOfChange(before, after), detail: { ...detail, changes } });
    return after;
  });
}

const stateOf = (before: ActionState, fields: ActionFields): ActionState => ({
  name: fields.name === undefined ? before.name : fields.name || null,
  description: fields.description === undefined ? before.description : (fields.description ?? ''),
  tags: fields.tags ?? before.tags,
  steps: fields.steps === undefined ? before.steps : (fields.steps ?? []),
  pinned_at: fields.pinned_at === undefined ? before.pinned_at : fields.pinned_at,
  deleted: fields.deleted ?? before.deleted,
});

async function requireUniqueName(
  tx: DbTransaction,
  projectId: number,
  id: number | null,
  { name, deleted }: ActionState,
): Promise<void> {
  const other = name === null || deleted ? null : await findByName(tx, projectId, name);
  if (other === null || other === id) return;
  throw new ApiError('unique', `This project already has an action with this name, ID ${other}`, 'name');
}

async function readOrThrow(tx: DbTransaction, projectId: number, id: number): Promise<ActionRow> {
  const row = await readAction(tx, projectId, id);
  if (!row) throw new ApiError('not_found');
  return row;
}

const entryOf = (context: ProjectContext, { id, name }: ActionRow) => ({
  ...byCaller(context),
  scope: 'Action' as const,
  itemId: id,
  detail: { name },
});

/** Actions as responses show them. One statement reads the creators of all. */
export async function actionViews({ deps, project }: ProjectContext, access: Access, rows: readonly ActionRow[]) {
  const creators = await usersById(
    deps.db,
    rows.map(({ created_by }) => created_by),
  );
  return rows.map(({ updated_at, ...row }) => ({
    ...row,
    post_to_slack: false,
    slack_message_format: '',
    created_at: isoTime(row.created_at),
    created_by: (row.created_by !== null && creators.get(row.created_by)) || null,
    is_calculating: false,
    last_calculated_at: isoTime(updated_at),
    team_id: project.id,
    is_action: true,
    bytecode_error: null,
    pinned_at: isoTime(row.pinned_at),
    creation_context: null,
    user_access_level: access.levelOn(row),
  }));
}
