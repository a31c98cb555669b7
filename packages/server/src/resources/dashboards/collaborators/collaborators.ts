import { levelInProject, type ProjectContext, type User } from '../../../auth/index.js';
import { isUuid } from '../../../http/ids.js';
import { inTransaction } from '../../../http/in-transaction.js';
import { ApiError } from '../../../kernel/errors.js';
import { ADMIN } from '../../../kernel/levels.js';
import type { Db } from '../../../ports/db.js';
import { type Activity, byCaller, recordActivity } from '../../activity/index.js';
import type { FoundDashboard } from '../find-dashboard.js';
import type { CollaboratorFields } from './schema.js';
import { type CollaboratorRow, deleteCollaborator, findActiveUser, insertCollaborator } from './store.js';

type Dashboard = FoundDashboard['dashboard'];

/** Opens a dashboard to a user. @throws ApiError invalid_input about the whole body: whom it cannot be opened to */
export async function addCollaborator(
  context: ProjectContext,
  dashboard: Dashboard,
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

/** Closes a dashboard to the user of a path segment. @throws ApiError not_found: it was not open to them */
export async function removeCollaborator(context: ProjectContext, dashboard: Dashboard, segment: string): Promise<void> {
  const { deps, project } = context;
  if (!isUuid(segment)) throw new ApiError('not_found');
  await inTransaction(deps.db, async (tx) => {
    const removed = await deleteCollaborator(tx, project.id, dashboard.id, segment);
    if (!removed) throw new ApiError('not_found');
    await record(tx, context, dashboard, 'deleted', removed);
  });
}

async function requireEligible({ deps, project }: ProjectContext, dashboard: Dashboard, userUuid: string): Promise<User> {
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
  dashboard: Dashboard,
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
