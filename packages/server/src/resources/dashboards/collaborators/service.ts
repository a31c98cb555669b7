import { levelInProject, type ProjectContext, type User, userView } from '../../../auth/index.js';
import { isoTime } from '../../../http/dates.js';
import { inTransaction } from '../../../http/in-transaction.js';
import { ApiError } from '../../../kernel/errors.js';
import { isUuid } from '../../../kernel/ids.js';
import { ADMIN } from '../../../kernel/rights.js';
import type { Db } from '../../../ports/db.js';
import { type Activity, byCaller, recordActivity } from '../../activity/index.js';
import type { DashboardRow } from '../store.js';
import type { CollaboratorFields } from './schema.js';
import { type CollaboratorRow, deleteCollaborator, findActiveUser, insertCollaborator } from './store.js';

/** Adds a collaborator. @throws ApiError invalid_input, without a path: the user cannot be one, or already is */
export async function addCollaborator(
  context: ProjectContext,
  dashboard: DashboardRow,
  { level, user_uuid: userUuid }: CollaboratorFields,
): Promise<CollaboratorRow> {
  const { deps } = context;
  const user = await requireEligible(context, dashboard, userUuid);
  const now = new Date(deps.clock.now());
  const id = deps.ids.uuid();
  const row = { dashboard_id: dashboard.id, level, added_at: now, updated_at: now };
  await inTransaction(deps.db, async (tx) => {
    const isNew = await insertCollaborator(tx, { id, user_id: user.id, ...row });
    if (!isNew) throw new ApiError('invalid_input', 'User already is a collaborator.');
    await record(tx, context, dashboard, 'created', { id, level, uuid: user.uuid, email: user.email });
  });
  return { collaborator_id: id, ...row, ...user };
}

/** Removes the collaborator whose UUID is the path segment. @throws ApiError not_found */
export async function removeCollaborator(context: ProjectContext, dashboard: DashboardRow, segment: string): Promise<void> {
  const { deps, project } = context;
  if (!isUuid(segment)) throw new ApiError('not_found');
  await inTransaction(deps.db, async (tx) => {
    const removed = await deleteCollaborator(tx, project.id, dashboard.id, segment);
    if (!removed) throw new ApiError('not_found');
    await record(tx, context, dashboard, 'deleted', removed);
  });
}

async function requireEligible({ deps, project }: ProjectContext, dashboard: DashboardRow, userUuid: string): Promise<User> {
  const user = await findActiveUser(deps.db, userUuid);
  if (!user) throw new ApiError('invalid_input', 'User does not exist.');
  const level = await levelInProject(deps.db, project.id, user.id);
  if (level === null) {
    throw new ApiError('invalid_input', 'Cannot add collaborators that have no access to the project.');
  }
  if (level >= ADMIN || user.id === dashboard.created_by) {
    const text = 'Cannot add collaborators that already have inherent access (the dashboard owner or a project admins).';
    throw new ApiError('invalid_input', text);
  }
  return user;
}

function record(
  db: Db,
  context: ProjectContext,
  dashboard: DashboardRow,
  activity: Activity & ('created' | 'deleted'),
  { id, level, uuid, email }: { id: string; level: number; uuid: string; email: string },
): Promise<void> {
  const collaborator = { user_uuid: uuid, email, level };
  const [before, after] = activity === 'created' ? [null, collaborator] : [collaborator, null];
  return recordActivity(db, context.deps, {
    ...byCaller(context),
    activity,
    scope: 'DashboardCollaborator',
    itemId: id,
    of: { resource: 'dashboard', id: dashboard.id },
    detail: {
      name: dashboard.name,
      changes: [{ type: 'DashboardCollaborator', action: activity, field: 'collaborator', before, after }],
    },
  });
}

/** A collaborator as responses show them. */
export const collaboratorView = (row: CollaboratorRow) => ({
  id: row.collaborator_id,
  dashboard_id: row.dashboard_id,
  user: userView(row),
  level: row.level,
  added_at: isoTime(row.added_at),
  updated_at: isoTime(row.updated_at),
  user_uuid: row.uuid,
});
