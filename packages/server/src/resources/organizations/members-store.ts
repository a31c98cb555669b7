import { sql } from 'kysely';
import { userColumns } from '../../auth/index.js';
import type { Page } from '../../http/pagination.js';
import type { Db } from '../../ports/db.js';

const columns = [
  ...userColumns,
  'users.last_login',
  'm.id as membership_id',
  'm.user_id',
  'm.level',
  'm.is_active',
  'm.joined_at',
  'm.updated_at',
] as const;

export type MemberRow = Awaited<ReturnType<typeof listMembers>>['rows'][number];

const members = (db: Db, organizationId: string) =>
  db
    .selectFrom('organization_memberships as m')
    .innerJoin('users', 'users.id', 'm.user_id')
    .where('m.organization_id', '=', organizationId);

/** One page of the members, in the order of joining, and how many there are. */
export async function listMembers(db: Db, organizationId: string, onlyActive: boolean, page: Page) {
  let wanted = members(db, organizationId);
  if (onlyActive) wanted = wanted.where('m.is_active', '=', true);
  const { count } = await wanted.select((e) => e.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  const rows = await wanted
    .select(columns)
    .orderBy('m.joined_at')
    .orderBy('m.id')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { count, rows };
}

export const findMember = (db: Db, organizationId: string, userUuid: string): Promise<MemberRow | undefined> =>
  members(db, organizationId).select(columns).where('users.uuid', '=', userUuid).executeTakeFirst();

/**
 * Lets one change of an organization's members happen at a time, so that rules about several of them hold. Not `for update`: what
 * only refers to the organization need not wait, and would be waited for in turn where it holds a member.
 */
export async function lockMembers(db: Db, organizationId: string): Promise<void> {
  await db.selectFrom('organizations').select('id').where('id', '=', organizationId).forNoKeyUpdate().execute();
}

/** The active membership of a user and the number of active owners, as they are now. */
export const readStanding = (db: Db, organizationId: string, userId: number) =>
  db
    .selectFrom('organization_memberships as m')
    .select(['m.user_id', 'm.level'])
    .select((e) =>
      e
        .selectFrom('organization_memberships as o')
        .select((f) => f.fn.countAll<number>().as('count'))
        .where('o.organization_id', '=', organizationId)
        .where('o.level', '=', 15)
        .where('o.is_active', '=', true)
        .as('owners'),
    )
    .where('m.organization_id', '=', organizationId)
    .where('m.user_id', '=', userId)
    .where('m.is_active', '=', true)
    .executeTakeFirst();

export async function updateMember(
  db: Db,
  membershipId: string,
  change: { level?: number | undefined; is_active?: boolean | undefined },
  now: Date,
): Promise<void> {
  await db
    .updateTable('organization_memberships')
    .set({ ...change, updated_at: now })
    .where('id', '=', membershipId)
    .execute();
}

export async function deleteMember(db: Db, membershipId: string): Promise<void> {
  await db.deleteFrom('organization_memberships').where('id', '=', membershipId).execute();
}

/** Ends the log-ins of a user whom no organization has as an active member any more. */
export async function endStraySessions(db: Db, userId: number): Promise<void> {
  await db
    .deleteFrom('login_sessions')
    .where('user_id', '=', userId)
    .where(sql<boolean>`not exists (select from organization_memberships m where m.user_id = ${userId} and m.is_active)`)
    .execute();
}

/** Deletes the keys of those users whom no organization has any more: they must not come back to life with a later invite. */
export async function deleteStrayKeys(db: Db, userIds: readonly number[]): Promise<void> {
  await db
    .deleteFrom('personal_api_keys as k')
    .where(sql<boolean>`k.user_id = any(${userIds})`)
    .where(sql<boolean>`not exists (select from organization_memberships m where m.user_id = k.user_id)`)
    .execute();
}
