import { lockRole } from '../../access/index.js';
import type { OrganizationContext } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/ids.js';
import { isUniqueViolation } from '../../kernel/sql.js';
import type { Db } from '../../ports/db.js';
import { type Activity, changesBetween, recordActivity } from '../activity/index.js';
import { requireAdmin } from '../organizations/index.js';
import {
  deleteMembership,
  deleteRole,
  findRole,
  holdMember,
  insertMembership,
  insertRole,
  type RoleMembershipRow,
  type RoleRow,
  updateRole,
} from './store.js';

type Loading = OrganizationContext & { params: Record<string, string> };

/** The role of the path. @throws ApiError not_found */
export async function loadRole({ deps, organization, params }: Loading): Promise<RoleRow> {
  const id = params['role_id'] ?? '';
  const role = isUuid(id) ? await findRole(deps.db, organization.id, id) : undefined;
  if (!role) throw new ApiError('not_found');
  return role;
}

/** {@link loadRole}, for administrators. @throws ApiError permission_denied, not_found */
export async function loadRoleToChange(context: Loading): Promise<RoleRow> {
  await requireAdmin(context);
  return loadRole(context);
}

/** @throws ApiError unique when another role has the name */
export function createRole(context: OrganizationContext, name: string): Promise<RoleRow> {
  const { deps, organization, principal } = context;
  const role = { id: deps.ids.uuid(), name, created_by: principal.userId, created_at: new Date(deps.clock.now()) };
  return named(async (tx) => {
    const made = await insertRole(tx, organization.id, role);
    await recordRole(tx, context, 'created', null, made);
    return made;
  }, context);
}

/** @throws ApiError unique when another role has the name; not_found when it was deleted meanwhile */
export function renameRole(context: OrganizationContext, role: RoleRow, name: string): Promise<RoleRow> {
  return named(async (tx) => {
    const renamed = await updateRole(tx, context.organization.id, role.id, name);
    if (!renamed) throw new ApiError('not_found');
    await recordRole(tx, context, 'updated', role, renamed);
    return renamed;
  }, context);
}

/** Deletes a role, with the access rules for it. */
export function removeRole(context: OrganizationContext, role: RoleRow): Promise<void> {
  return inTransaction(context.deps.db, async (tx) => {
    if (await deleteRole(tx, context.organization.id, role.id)) await recordRole(tx, context, 'deleted', role, null);
  });
}

async function named(write: (tx: Db) => Promise<RoleRow>, { deps }: OrganizationContext): Promise<RoleRow> {
  try {
    return await inTransaction(deps.db, write);
  } catch (error) {
    if (isUniqueViolation(error)) throw new ApiError('unique', 'There is already a role with this name.', 'name');
    throw error;
  }
}

async function recordRole(
  tx: Db,
  { deps, organization, principal }: OrganizationContext,
  activity: Activity,
  before: RoleRow | null,
  after: RoleRow | null,
): Promise<void> {
  const role = after ?? before;
  const changes = before && after ? changesBetween('Role', before, after, ['name']) : [];
  await recordActivity(tx, deps, {
    organizationId: organization.id,
    projectId: null,
    userId: principal.userId,
    activity,
    scope: 'Role',
    itemId: role?.id ?? null,
    detail: { name: role?.name ?? null, changes },
  });
}

/** Assigns a role to a member of the organization. @throws ApiError invalid_input: no such member, or they have the role */
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
      await recordMembership(tx, context, 'created', id, role);
      return { ...member, ...row, role_membership_id: id };
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new ApiError('invalid_input', 'User is already part of the role.');
    throw error;
  }
}

/** Removes a role from a member. @throws ApiError not_found: not a membership of the role */
export async function takeRole(context: OrganizationContext, role: RoleRow, roleMembershipId: string): Promise<void> {
  if (!isUuid(roleMembershipId)) throw new ApiError('not_found');
  await inTransaction(context.deps.db, async (tx) => {
    if (!(await deleteMembership(tx, role.id, roleMembershipId))) throw new ApiError('not_found');
    await recordMembership(tx, context, 'deleted', roleMembershipId, role);
  });
}

const recordMembership = (
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
