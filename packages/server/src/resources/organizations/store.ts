import type { Deps } from '../../deps.js';
import { inTransaction } from '../../http/in-transaction.js';
import type { Page } from '../../http/pagination.js';
import { ApiError } from '../../kernel/errors.js';
import type { MembershipLevel } from '../../kernel/levels.js';
import type { Db } from '../../ports/db.js';
import { deleteStrayKeys } from './members-store.js';

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

/** Makes an organization whose slug is `slug`, or `slug` with something random behind it. */
export async function insertOrganization(db: Db, deps: Deps, name: string, slug: string): Promise<string> {
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

/** Deletes an organization and all below it, with the keys of members who have no other; answers with the keys of its projects. @throws ApiError not_found: deleted meanwhile */
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

/** Makes a user a member; violates a unique constraint when they are one, deactivated or not. */
export async function insertMembership(
  db: Db,
  deps: Deps,
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

/** Says where `@current` leads a user from now on. */
export async function setCurrent(db: Db, userId: number, organizationId: string, projectId: number | null): Promise<void> {
  await db
    .updateTable('users')
    .set({ current_organization_id: organizationId, current_project_id: projectId })
    .where('id', '=', userId)
    .execute();
}
