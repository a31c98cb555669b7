import { userColumns } from '../../auth/index.js';
import type { Db } from '../../ports/db.js';

const columns = [
  ...userColumns,
  'e.id as explicit_id',
  'e.level',
  'e.joined_at',
  'e.updated_at',
  'm.id as membership_id',
  'm.level as parent_level',
] as const;

export type MemberRow = Awaited<ReturnType<typeof listMembers>>[number];

/** The active members of a project: deactivated users and memberships are left out. */
const members = (db: Db, projectId: number) =>
  db
    .selectFrom('explicit_memberships as e')
    .innerJoin('organization_memberships as m', 'm.id', 'e.membership_id')
    .innerJoin('users', 'users.id', 'm.user_id')
    .select(columns)
    .where('e.project_id', '=', projectId)
    .where('m.is_active', '=', true)
    .where('users.is_active', '=', true);

/** The explicit members of a project, by level, the newest first. */
export const listMembers = (db: Db, projectId: number) =>
  members(db, projectId).orderBy('e.level').orderBy('e.joined_at', 'desc').orderBy('e.id').execute();

export const findMember = (db: Db, projectId: number, userUuid: string): Promise<MemberRow | undefined> =>
  members(db, projectId).where('users.uuid', '=', userUuid).executeTakeFirst();

/** As {@link findMember}, and locks the membership until the transaction ends. */
export const lockMember = (db: Db, projectId: number, userUuid: string): Promise<MemberRow | undefined> =>
  members(db, projectId).where('users.uuid', '=', userUuid).forUpdate('e').executeTakeFirst();

/** The active membership of a user in the project's organization; neither it nor the project goes away until the transaction ends. */
export const lockCandidate = (db: Db, projectId: number, userUuid: string) =>
  db
    .selectFrom('projects as p')
    .innerJoin('organization_memberships as m', 'm.organization_id', 'p.organization_id')
    .innerJoin('users', 'users.id', 'm.user_id')
    .select([...userColumns, 'm.id as membership_id', 'm.level as parent_level'])
    .where('p.id', '=', projectId)
    .where('users.uuid', '=', userUuid)
    .where('m.is_active', '=', true)
    .where('users.is_active', '=', true)
    .forKeyShare(['p', 'm'])
    .executeTakeFirst();

export interface NewMember {
  id: string;
  membership_id: string;
  level: number;
}

/** Creates an explicit membership; violates a unique constraint when there is one, active or not. */
export async function insertMember(db: Db, projectId: number, member: NewMember, now: Date): Promise<void> {
  await db
    .insertInto('explicit_memberships')
    .values({ ...member, project_id: projectId, joined_at: now, updated_at: now })
    .execute();
}

export async function updateLevel(db: Db, projectId: number, explicitId: string, level: number, now: Date): Promise<void> {
  await db
    .updateTable('explicit_memberships')
    .set({ level, updated_at: now })
    .where('project_id', '=', projectId)
    .where('id', '=', explicitId)
    .execute();
}

export async function deleteMember(db: Db, projectId: number, explicitId: string): Promise<void> {
  await db.deleteFrom('explicit_memberships').where('project_id', '=', projectId).where('id', '=', explicitId).execute();
}
