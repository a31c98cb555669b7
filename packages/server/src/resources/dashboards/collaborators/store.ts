import type { User } from '../../../auth/index.js';
import { userColumns } from '../../../auth/index.js';
import type { Db } from '../../../ports/db.js';

/** A collaborator with the columns of the user. */
export interface CollaboratorRow extends User {
  collaborator_id: string;
  dashboard_id: number;
  level: number;
  added_at: Date;
  updated_at: Date;
}

const collaborators = (db: Db, projectId: number, dashboardId: number) =>
  db
    .selectFrom('dashboard_collaborators as c')
    .innerJoin('dashboards as d', 'd.id', 'c.dashboard_id')
    .innerJoin('users', 'users.id', 'c.user_id')
    .where('d.project_id', '=', projectId)
    .where('c.dashboard_id', '=', dashboardId);

/** Lists the collaborators of a dashboard who are active members of the organization, in the order in which they were added. */
export const listCollaborators = (db: Db, projectId: number, dashboardId: number): Promise<CollaboratorRow[]> =>
  collaborators(db, projectId, dashboardId)
    .innerJoin('projects as p', 'p.id', 'd.project_id')
    .innerJoin('organization_memberships as m', (join) =>
      join.onRef('m.organization_id', '=', 'p.organization_id').onRef('m.user_id', '=', 'c.user_id'),
    )
    .select(userColumns)
    .select(['c.id as collaborator_id', 'c.dashboard_id', 'c.level', 'c.added_at', 'c.updated_at'])
    .where('users.is_active', '=', true)
    .where('m.is_active', '=', true)
    .orderBy('c.added_at')
    .orderBy('c.id')
    .execute();

/** Finds an active user of any organization. */
export const findActiveUser = (db: Db, uuid: string): Promise<User | undefined> =>
  db
    .selectFrom('users')
    .select(userColumns)
    .where('users.uuid', '=', uuid)
    .where('users.is_active', '=', true)
    .executeTakeFirst();

/** Adds a collaborator; false: the user is one already. */
export async function insertCollaborator(
  db: Db,
  collaborator: { id: string; dashboard_id: number; user_id: number; level: number; added_at: Date; updated_at: Date },
): Promise<boolean> {
  const inserted = await db
    .insertInto('dashboard_collaborators')
    .values(collaborator)
    .onConflict((conflict) => conflict.columns(['dashboard_id', 'user_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Removes a collaborator and returns the row; undefined: there was none. */
export async function deleteCollaborator(
  db: Db,
  projectId: number,
  dashboardId: number,
  userUuid: string,
): Promise<{ id: string; level: number; uuid: string; email: string } | undefined> {
  return db
    .deleteFrom('dashboard_collaborators as c')
    .using(['users', 'dashboards as d'])
    .whereRef('users.id', '=', 'c.user_id')
    .whereRef('d.id', '=', 'c.dashboard_id')
    .where('d.project_id', '=', projectId)
    .where('c.dashboard_id', '=', dashboardId)
    .where('users.uuid', '=', userUuid)
    .returning(['c.id', 'c.level', 'users.uuid', 'users.email'])
    .executeTakeFirst();
}

/** The levels of the collaborators of dashboards. */
export const collaboratorLevels = (
  db: Db,
  projectId: number,
  dashboardIds: readonly number[],
): Promise<{ dashboard_id: number; user_id: number; level: number }[]> =>
  db
    .selectFrom('dashboard_collaborators as c')
    .innerJoin('dashboards as d', 'd.id', 'c.dashboard_id')
    .select(['c.dashboard_id', 'c.user_id', 'c.level'])
    .where('d.project_id', '=', projectId)
    .where((w) => w('c.dashboard_id', '=', w.fn.any(w.val(dashboardIds))))
    .execute();
