import { lockRole } from '../../access/index.js';
import type { OrganizationContext } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/ids.js';
import { isUniqueViolation } from '../../kernel/sql.js';
import type { Db } from '../../ports/db.js';
import { type Activity, recordActivity } from '../activity/index.js';
import { deleteMembership, holdMember, insertMembership, type RoleMembershipRow, type RoleRow } from './store.js';

/** Gives a member of the organization a role. @throws ApiError invalid_input: nobody of that UUID, or they have it */
export async function giveRole(context: OrganizationContext, role: RoleRow, userUuid: string): Promise<RoleMembershipRow> {
  const { deps, organization } = context;
  const id = deps.ids.uuid();
  const joined_at = new Date(deps.clock.now());
  try {
    return await inTransaction(deps.db, async (tx) => {
      const member = await holdMember(tx, organization.id, userUuid);
      if (!member) throw new ApiError('invalid_input', 'User does not exist.');
      if (!(await lockRole(tx, organization.id, role.id))) throw new ApiError('not_found');
      const row = { role_id: role.id, membership_id: member.membership_id, joined_at };
      await insertMembership(tx, { id, ...row });
      await note(tx, context, 'created', id, role);
      return { ...member, ...row, role_membership_id: id };
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new ApiError('invalid_input', 'User is already part of the role.');
    throw error;
  }
}

/** Takes a role from somebody. @throws ApiError not_found: not one of its memberships */
export async function takeRole(context: OrganizationContext, role: RoleRow, roleMembershipId: string): Promise<void> {
  if (!isUuid(roleMembershipId)) throw new ApiError('not_found');
  await inTransaction(context.deps.db, async (tx) => {
    if (!(await deleteMembership(tx, role.id, roleMembershipId))) throw new ApiError('not_found');
    await note(tx, context, 'deleted', roleMembershipId, role);
  });
}

const note = (
  tx: Db,
  { deps, organization, principal }: OrganizationContext,
  activity: Activity,
  id: string,
  role: RoleRow,
): Promise<void> =>
  recordActivity(tx, deps, {
    organizationId: organization.id,
    projectId: null,
    userId: principal.userId,
    activity,
    scope: 'RoleMember',
    itemId: id,
    detail: { name: role.name },
  });
