import { userColumns } from '../../auth/index.js';
import type { Page } from '../../http/pagination.js';
import type { Db } from '../../ports/db.js';

const columns = ['id', 'name', 'created_by', 'created_at'] as const;

export type RoleRow = NonNullable<Awaited<ReturnType<typeof findRole>>>;
export type RoleMembershipRow = Awaited<ReturnType<typeof membershipsOf>>[number];

export const findRole = (db: Db, organizationId: string, roleId: string) =>
  db
    .selectFrom('roles')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where('id', '=', roleId)
    .executeTakeFirst();

/** One page of the roles by name, and how many there are. */
export async function listRoles(db: Db, organizationId: string, page: Page) {
  const wanted = db.selectFrom('roles').where('organization_id', '=', organizationId);
  const { count } = await wanted.select((e) => e.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  const rows = await wanted.select(columns).orderBy('name').orderBy('id').limit(page.limit).offset(page.offset).execute();
  return { count, rows };
}

/** Creates a role; violates a unique constraint when the name is taken. */
export const insertRole = (
  db: Db,
  organizationId: string,
  role: { id: string; name: string; created_by: number; created_at: Date },
): Promise<RoleRow> =>
  db
    .insertInto('roles')
    .values({ ...role, organization_id: organizationId })
    .returning(columns)
    .executeTakeFirstOrThrow();

/** Renames a role; violates a unique constraint when the name is taken. */
export const updateRole = (db: Db, organizationId: string, roleId: string, name: string): Promise<RoleRow | undefined> =>
  db
    .updateTable('roles')
    .set({ name })
    .where('organization_id', '=', organizationId)
    .where('id', '=', roleId)
    .returning(columns)
    .executeTakeFirst();

/** Deletes a role with its memberships and the access rules for it; false: no such role. */
export async function deleteRole(db: Db, organizationId: string, roleId: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('roles')
    .where('organization_id', '=', organizationId)
    .where('id', '=', roleId)
    .executeTakeFirst();
  return deleted.numDeletedRows > 0n;
}

const memberships = (db: Db, organizationId: string) =>
  db
    .selectFrom('role_memberships as r')
    .innerJoin('organization_memberships as m', 'm.id', 'r.membership_id')
    .innerJoin('users', 'users.id', 'm.user_id')
    .where('m.organization_id', '=', organizationId)
    .where('m.is_active', '=', true)
    .orderBy('r.joined_at')
    .orderBy('r.id');

const membershipColumns = [...userColumns, 'r.id as role_membership_id', 'r.role_id', 'r.membership_id', 'r.joined_at'] as const;

/** The members of some roles, in the order of joining. */
export const membershipsOf = async (db: Db, organizationId: string, roleIds: readonly string[]) =>
  roleIds.length === 0
    ? []
    : memberships(db, organizationId).select(membershipColumns).where('r.role_id', 'in', roleIds).execute();

/** One page of a role's members, in the order of joining, and their number. */
export async function listMemberships(db: Db, organizationId: string, roleId: string, page: Page) {
  const [rows, { count }] = await Promise.all([
    memberships(db, organizationId)
      .select(membershipColumns)
      .where('r.role_id', '=', roleId)
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    memberships(db, organizationId)
      .clearOrderBy()
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('r.role_id', '=', roleId)
      .executeTakeFirstOrThrow(),
  ]);
  return { count, rows };
}

/** The active membership of a user, locked against deletion until the transaction ends. */
export const holdMember = (db: Db, organizationId: string, userUuid: string) =>
  db
    .selectFrom('organization_memberships as m')
    .innerJoin('users', 'users.id', 'm.user_id')
    .select([...userColumns, 'm.id as membership_id'])
    .where('m.organization_id', '=', organizationId)
    .where('m.is_active', '=', true)
    .where('users.is_active', '=', true)
    .where('users.uuid', '=', userUuid)
    .forKeyShare('m')
    .executeTakeFirst();

/** Gives a member a role; violates a unique constraint when they have it. */
export async function insertMembership(
  db: Db,
  membership: { id: string; role_id: string; membership_id: string; joined_at: Date },
): Promise<void> {
  await db.insertInto('role_memberships').values(membership).execute();
}

/** Deletes a membership of a role; false: the role has none with this id. */
export async function deleteMembership(db: Db, roleId: string, roleMembershipId: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('role_memberships')
    .where('role_id', '=', roleId)
    .where('id', '=', roleMembershipId)
    .executeTakeFirst();
  return deleted.numDeletedRows > 0n;
}
