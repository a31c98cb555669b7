import { sql } from 'kysely';
import { userColumns } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { inTransaction } from '../../http/in-transaction.js';
import type { Page } from '../../http/pagination.js';
import { ApiError } from '../../kernel/errors.js';
import type { MembershipLevel } from '../../kernel/rights.js';
import type { Db } from '../../ports/db.js';

const columns = [
  'o.id',
  'o.name',
  'o.slug',
  'o.created_at',
  'o.updated_at',
  'o.allow_publicly_shared_resources',
  'm.level',
] as const;

export type OrganizationRow = Awaited<ReturnType<typeof listOrganizations>>['rows'][number];

const ofUser = (db: Db, userId: number) =>
  db
    .selectFrom('organizations as o')
    .innerJoin('organization_memberships as m', 'm.organization_id', 'o.id')
    .where('m.user_id', '=', userId)
    .where('m.is_active', '=', true);

/** The organizations that a user is active in (`within`: no others than these), in the order of joining. */
export async function listOrganizations(db: Db, userId: number, within: readonly string[] | null, page: Page) {
  let own = ofUser(db, userId);
  if (within) own = own.where('o.id', 'in', within);
  const { count } = await own.select((e) => e.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  const rows = await own.select(columns).orderBy('m.joined_at').orderBy('o.id').limit(page.limit).offset(page.offset).execute();
  return { count, rows };
}

export const readOrganization = (db: Db, organizationId: string, userId: number): Promise<OrganizationRow | undefined> =>
  ofUser(db, userId).select(columns).where('o.id', '=', organizationId).executeTakeFirst();

/** Creates an organization with this slug, followed by a random part when the slug is taken. */
export async function insertOrganization(db: Db, deps: Pick<Deps, 'clock' | 'ids'>, name: string, slug: string): Promise<string> {
  const now = new Date(deps.clock.now());
  const id = deps.ids.uuid();
  const insert = (free: string) =>
    db
      .insertInto('organizations')
      .values({ id, name, slug: free, created_at: now, updated_at: now })
      .onConflict((conflict) => conflict.column('slug').doNothing())
      .returning('id')
      .executeTakeFirst();
  // a taken slug must not abort the transaction that this is part of
  while (!((await insert(slug)) ?? (await insert(`${slug}-${deps.ids.uuid().slice(0, 8)}`))));
  return id;
}

/** Changes an organization; what is undefined stays. */
export async function updateOrganization(
  db: Db,
  organizationId: string,
  change: { name?: string | undefined; allow_publicly_shared_resources?: boolean | undefined },
  now: Date,
): Promise<void> {
  const { name, allow_publicly_shared_resources } = change;
  await db
    .updateTable('organizations')
    .set({ name, allow_publicly_shared_resources, updated_at: now })
    .where('id', '=', organizationId)
    .execute();
}

/** Deletes an organization with its projects, and the keys of members who have no other; returns the keys of its projects. @throws ApiError not_found: deleted meanwhile */
export const deleteOrganization = (db: Db, organizationId: string): Promise<string[]> =>
  inTransaction(db, async (trx) => {
    const projects = await trx
      .deleteFrom('projects')
      .where('organization_id', '=', organizationId)
      .returning('api_token')
      .execute();
    const members = await trx
      .selectFrom('organization_memberships')
      .select('user_id')
      .where('organization_id', '=', organizationId)
      .execute();
    const { numDeletedRows } = await trx.deleteFrom('organizations').where('id', '=', organizationId).executeTakeFirst();
    if (numDeletedRows === 0n) throw new ApiError('not_found', 'Organization not found.');
    await deleteStrayKeys(
      trx,
      members.map((member) => member.user_id),
    );
    return projects.map((project) => project.api_token);
  });

export async function organizationExists(db: Db): Promise<boolean> {
  return (await db.selectFrom('organizations').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Creates a membership; violates a unique constraint when the user has one, active or not. */
export async function insertMembership(
  db: Db,
  deps: Pick<Deps, 'clock' | 'ids'>,
  membership: { organizationId: string; userId: number; level: MembershipLevel },
): Promise<string> {
  const now = new Date(deps.clock.now());
  const id = deps.ids.uuid();
  await db
    .insertInto('organization_memberships')
    .values({
      id,
      organization_id: membership.organizationId,
      user_id: membership.userId,
      level: membership.level,
      joined_at: now,
      updated_at: now,
    })
    .execute();
  return id;
}

/** Sets the organization and the project that `@current` stands for. */
export async function setCurrent(db: Db, userId: number, organizationId: string, projectId: number | null): Promise<void> {
  await db
    .updateTable('users')
    .set({ current_organization_id: organizationId, current_project_id: projectId })
    .where('id', '=', userId)
    .execute();
}

const memberColumns = [
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
    .select(memberColumns)
    .orderBy('m.joined_at')
    .orderBy('m.id')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { count, rows };
}

export const findMember = (db: Db, organizationId: string, userUuid: string): Promise<MemberRow | undefined> =>
  members(db, organizationId).select(memberColumns).where('users.uuid', '=', userUuid).executeTakeFirst();

/**
 * Locks the members of an organization against other changes, because the rule about the last owner concerns several of them. Not
 * `for update`: rows that only refer to the organization need not wait, and could deadlock with a change of a member.
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

/** Ends the sessions of a user who has no active membership left. */
export async function endStraySessions(db: Db, userId: number): Promise<void> {
  await db
    .deleteFrom('login_sessions')
    .where('user_id', '=', userId)
    .where(sql<boolean>`not exists (select from organization_memberships m where m.user_id = ${userId} and m.is_active)`)
    .execute();
}

/** Deletes the keys of users who have no membership left, so that a later invite does not revive them. */
export async function deleteStrayKeys(db: Db, userIds: readonly number[]): Promise<void> {
  await db
    .deleteFrom('personal_api_keys as k')
    .where(sql<boolean>`k.user_id = any(${userIds})`)
    .where(sql<boolean>`not exists (select from organization_memberships m where m.user_id = k.user_id)`)
    .execute();
}
