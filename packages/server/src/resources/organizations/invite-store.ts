import { sql } from 'kysely';
import { jsonColumn } from '../../http/json-column.js';
import type { Page } from '../../http/pagination.js';
import type { Db } from '../../ports/db.js';

const columns = [
  'id',
  'organization_id',
  'target_email',
  'first_name',
  'level',
  'message',
  'private_project_access',
  'created_by',
  'created_at',
  'updated_at',
] as const;

export type InviteRow = Awaited<ReturnType<typeof upsertInvites>>[number];

/** One page of the invites up to a level, newest first, and how many there are. */
export async function listInvites(db: Db, organizationId: string, maxLevel: number, page: Page) {
  const wanted = db
    .selectFrom('organization_invites')
    .where('organization_id', '=', organizationId)
    .where('level', '<=', maxLevel);
  const { count } = await wanted.select((e) => e.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  const rows = await wanted
    .select(columns)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { count, rows };
}

interface NewInvite {
  id: string;
  target_email: string;
  first_name: string;
  level: number;
  message: string | null;
  private_project_access: { id: number; level: number }[];
}

/**
 * Creates invites, addresses distinct; each replaces an earlier invite of its address, so that only the newest works. One that is
 * above `maxLevel` and newer than `expired` stays instead, and the answer lacks its address.
 */
export const upsertInvites = (
  db: Db,
  organizationId: string,
  { createdBy, maxLevel, expired }: { createdBy: number | null; maxLevel: number; expired: Date },
  invites: readonly NewInvite[],
  now: Date,
) =>
  db
    .insertInto('organization_invites')
    .values(
      invites.map((invite) => ({
        ...invite,
        organization_id: organizationId,
        private_project_access: jsonColumn(invite.private_project_access),
        created_by: createdBy,
        created_at: now,
        updated_at: now,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .expression(sql`organization_id, lower(target_email)`)
        .doUpdateSet((e) => ({
          id: e.ref('excluded.id'),
          target_email: e.ref('excluded.target_email'),
          first_name: e.ref('excluded.first_name'),
          level: e.ref('excluded.level'),
          message: e.ref('excluded.message'),
          private_project_access: e.ref('excluded.private_project_access'),
          created_by: e.ref('excluded.created_by'),
          created_at: e.ref('excluded.created_at'),
          updated_at: e.ref('excluded.updated_at'),
        }))
        .where((e) =>
          e.or([e('organization_invites.level', '<=', maxLevel), e('organization_invites.created_at', '<=', expired)]),
        ),
    )
    .returning(columns)
    .execute();

/** Deletes an invite and returns its row; undefined: the organization has none with this id up to that level. */
export const deleteInvite = (
  db: Db,
  organizationId: string,
  inviteId: string,
  maxLevel: number,
): Promise<InviteRow | undefined> =>
  db
    .deleteFrom('organization_invites')
    .where('organization_id', '=', organizationId)
    .where('id', '=', inviteId)
    .where('level', '<=', maxLevel)
    .returning(columns)
    .executeTakeFirst();

/** Which of these addresses (lower-case) belong to members. */
export async function memberEmails(db: Db, organizationId: string, emails: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .innerJoin('organization_memberships as m', 'm.user_id', 'users.id')
    .select('users.email')
    .where('m.organization_id', '=', organizationId)
    .where(sql<boolean>`lower(users.email) = any(${emails})`)
    .execute();
  return rows.map((row) => row.email);
}

/** Which of these projects are the organization's. */
export async function ownProjects(db: Db, organizationId: string, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('projects')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .execute();
  return rows.map((row) => row.id);
}

/** An invite by its id alone, which is the secret that the invited person was given. */
export const findInvite = (db: Db, inviteId: string) =>
  db
    .selectFrom('organization_invites')
    .innerJoin('organizations', 'organizations.id', 'organization_invites.organization_id')
    .select(['organization_invites.id', 'organization_id', 'target_email', 'first_name', 'level', 'private_project_access'])
    .select(['organization_invites.created_at', 'organizations.name as organization_name'])
    .where('organization_invites.id', '=', inviteId)
    .executeTakeFirst();

/** Deletes an accepted invite; false: another request was faster. */
export async function takeInvite(db: Db, inviteId: string): Promise<boolean> {
  const taken = await db.deleteFrom('organization_invites').where('id', '=', inviteId).executeTakeFirst();
  return taken.numDeletedRows > 0n;
}

export async function insertExplicitMemberships(
  db: Db,
  rows: readonly { id: string; project_id: number; membership_id: string; level: number }[],
  now: Date,
): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto('explicit_memberships')
    .values(rows.map((row) => ({ ...row, joined_at: now, updated_at: now })))
    .execute();
}
