import { sql } from 'kysely';
import { userColumns, visibleProjects } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import type { Db } from '../../ports/db.js';

/** Key of the advisory lock that sign-ups wait for, so that one of them creates the first account; any number. */
const FIRST_ACCOUNT_LOCK = 7_160_411;

export async function userExists(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Takes the lock of sign-ups until the transaction ends. */
export async function lockSignup(db: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(${FIRST_ACCOUNT_LOCK})`.execute(db);
}

/** Creates a user; violates the unique index on the address when it is taken. */
export async function insertUser(
  db: Db,
  deps: Pick<Deps, 'clock' | 'ids'>,
  user: { email: string; firstName: string; lastName: string; passwordHash: string },
): Promise<number> {
  const { id } = await db
    .insertInto('users')
    .values({
      uuid: deps.ids.uuid(),
      distinct_id: deps.ids.token(32),
      email: user.email,
      first_name: user.firstName,
      last_name: user.lastName,
      password_hash: user.passwordHash,
      date_joined: new Date(deps.clock.now()),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** The user who may log in with an address. The hash is null for an account without a password. */
export const findLogin = (db: Db, email: string) =>
  db
    .selectFrom('users')
    .select(['users.id', 'users.password_hash'])
    .where(sql<boolean>`lower(users.email) = lower(${email})`)
    .where('users.is_active', '=', true)
    // switched off in every organization they belong to
    .where(
      sql<boolean>`(exists (select from organization_memberships m where m.user_id = users.id and m.is_active)
        or not exists (select from organization_memberships m where m.user_id = users.id))`,
    )
    .executeTakeFirst();

export const findAccount = (db: Db, email: string) =>
  db
    .selectFrom('users')
    .select(['id', 'email', 'first_name', 'last_name'])
    .where(sql<boolean>`lower(email) = lower(${email.trim()})`)
    .executeTakeFirst();

export async function emailTaken(db: Db, email: string): Promise<boolean> {
  const taken = await db.selectFrom('users').select('id').where(sql<boolean>`lower(email) = lower(${email})`).executeTakeFirst();
  return taken !== undefined;
}

export async function noteLogin(db: Db, userId: number, now: Date): Promise<void> {
  await db.updateTable('users').set({ last_login: now }).where('id', '=', userId).execute();
}

export const readPasswordHash = async (db: Db, userId: number): Promise<string | null> =>
  (await db.selectFrom('users').select('password_hash').where('id', '=', userId).executeTakeFirst())?.password_hash ?? null;

export type UserRow = NonNullable<Awaited<ReturnType<typeof readUser>>>;

/** A user as they see themselves; of the password only whether there is one. */
export const readUser = (db: Db, userId: number) =>
  db
    .selectFrom('users')
    .select(userColumns)
    .select(['theme_mode', 'date_joined'])
    .select(sql<boolean>`password_hash is not null`.as('has_password'))
    .where('id', '=', userId)
    .executeTakeFirst();

/** Fields of a user to change; undefined fields stay. */
export interface UserChange {
  first_name?: string | undefined;
  last_name?: string | undefined;
  email?: string | undefined;
  password_hash?: string | undefined;
  theme_mode?: string | null | undefined;
  hedgehog_config?: string | undefined;
}

/** Changes a user; violates the unique index on the address when it is taken. */
export async function updateUser(db: Db, userId: number, change: UserChange): Promise<void> {
  if (Object.values(change).every((value) => value === undefined)) return;
  await db.updateTable('users').set(change).where('id', '=', userId).execute();
}

/** A project that the user may see, or undefined. */
export const findVisibleProject = (db: Db, userId: number, projectId: number) =>
  visibleProjects(db, userId).select(['p.id', 'p.organization_id']).where('p.id', '=', projectId).executeTakeFirst();

export async function insertKey(
  db: Db,
  key: { id: string; userId: number; label: string; hash: Buffer; mask: string; scopes: string[]; now: Date },
): Promise<void> {
  await db
    .insertInto('personal_api_keys')
    .values({
      id: key.id,
      user_id: key.userId,
      label: key.label,
      secure_hash: key.hash,
      mask_value: key.mask,
      scopes: key.scopes,
      created_at: key.now,
    })
    .execute();
}

/** Stores the link of a user in place of an earlier one. */
export async function putReset(
  db: Db,
  reset: { user_id: number; token_hash: Buffer; created_by: number; expires_at: Date },
): Promise<void> {
  const { user_id: _, ...fields } = reset;
  await db
    .insertInto('password_resets')
    .values(reset)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(fields))
    .execute();
}

/** The active account of a link that has not expired. */
export const findReset = (db: Db, hash: Buffer, now: Date) =>
  db
    .selectFrom('password_resets as r')
    .innerJoin('users as u', 'u.id', 'r.user_id')
    .select(['u.id', 'u.email', 'u.first_name', 'u.last_name'])
    .where('r.token_hash', '=', hash)
    .where('r.expires_at', '>', now)
    .where('u.is_active', '=', true)
    .executeTakeFirst();

/** Uses up a link. @returns whether it was there */
export const takeReset = async (db: Db, hash: Buffer): Promise<boolean> =>
  (await db.deleteFrom('password_resets').where('token_hash', '=', hash).returning('user_id').executeTakeFirst()) !== undefined;

/** Whether a user belongs to an organization where an administrator is none, or stands below the user. */
export async function isBeyondAdministrator(db: Db, userId: number, administratorId: number): Promise<boolean> {
  const { rows } = await sql`
    select from organization_memberships m
    where m.user_id = ${userId} and not exists (
      select from organization_memberships a
      where a.organization_id = m.organization_id and a.user_id = ${administratorId} and a.is_active
        and a.level >= 8 and a.level >= m.level
    ) limit 1`.execute(db);
  return rows.length > 0;
}
