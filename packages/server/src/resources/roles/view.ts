import { usersById, userView } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import type { Db } from '../../ports/db.js';
import { membershipsOf, type RoleMembershipRow, type RoleRow } from './store.js';

/** A membership of a role in responses. */
export const roleMembershipView = (row: RoleMembershipRow) => ({
  id: row.role_membership_id,
  role_id: row.role_id,
  organization_member: row.membership_id,
  user: userView(row),
  joined_at: isoTime(row.joined_at),
});

/** Roles with their members: two statements for all. */
export async function roleViews(db: Db, organizationId: string, roles: readonly RoleRow[]) {
  const [members, creators] = await Promise.all([
    membershipsOf(
      db,
      organizationId,
      roles.map((role) => role.id),
    ),
    usersById(
      db,
      roles.map((role) => role.created_by),
    ),
  ]);
  return roles.map((role) => ({
    id: role.id,
    name: role.name,
    created_at: isoTime(role.created_at),
    created_by: (role.created_by !== null && creators.get(role.created_by)) || null,
    members: members.filter((member) => member.role_id === role.id).map(roleMembershipView),
  }));
}
