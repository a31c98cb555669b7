import { sql } from 'kysely';
import { visibleProjects } from '../../auth/index.js';
import type { Db } from '../../ports/db.js';

const columns = [
  'id',
  'label',
  'mask_value',
  'created_at',
  'last_used_at',
  'user_id',
  'scopes',
  'scoped_teams',
  'scoped_organizations',
] as const;

export type KeyRow = Awaited<ReturnType<typeof listKeys>>[number];

/** The keys of a user (there are few), newest first. */
export const listKeys = (db: Db, userId: number) =>
  db
    .selectFrom('personal_api_keys')
    .select(columns)
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();

export const readKey = (db: Db, userId: number, id: string): Promise<KeyRow | undefined> =>
  db.selectFrom('personal_api_keys').select(columns).where('user_id', '=', userId).where('id', '=', id).executeTakeFirst();

export interface NewKey {
  id: string;
  label: string;
  secure_hash: Buffer;
  mask_value: string;
  scopes: string[];
  scoped_teams: number[];
  scoped_organizations: string[];
  created_at: Date;
}

/** Creates a key, inside a transaction; undefined: the user has `max` already. */
export async function insertKey(tx: Db, userId: number, key: NewKey, max: number): Promise<KeyRow | undefined> {
  // two at once must not both take the last place
  await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();
  const { count } = await tx
    .selectFrom('personal_api_keys')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  if (count >= max) return undefined;
  return tx
    .insertInto('personal_api_keys')
    .values({ ...key, user_id: userId })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Reads a key and locks it until the transaction ends. */
export const lockKey = (tx: Db, userId: number, id: string): Promise<KeyRow | undefined> =>
  tx
    .selectFrom('personal_api_keys')
    .select(columns)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

/** Fields of a key to change; undefined fields stay. */
export interface KeyChange {
  label?: string | undefined;
  scopes?: string[] | undefined;
  scoped_teams?: number[] | undefined;
  scoped_organizations?: string[] | undefined;
  secure_hash?: Buffer;
  mask_value?: string;
}

export async function updateKey(db: Db, userId: number, id: string, change: KeyChange): Promise<KeyRow | undefined> {
  if (Object.values(change).every((value) => value === undefined)) return readKey(db, userId, id);
  return db
    .updateTable('personal_api_keys')
    .set(change)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst();
}

export async function deleteKey(db: Db, userId: number, id: string): Promise<void> {
  await db.deleteFrom('personal_api_keys').where('user_id', '=', userId).where('id', '=', id).execute();
}

/** How many of these projects the user may see. */
export async function countVisible(db: Db, userId: number, projectIds: readonly number[]): Promise<number> {
  const { count } = await visibleProjects(db, userId)
    .where('p.id', 'in', projectIds)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** In how many of these organizations the user is active. */
export async function countMemberships(db: Db, userId: number, organizationIds: readonly string[]): Promise<number> {
  const { count } = await db
    .selectFrom('organization_memberships')
    .where('user_id', '=', userId)
    .where('is_active', '=', true)
    .where('organization_id', 'in', organizationIds)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** An organization that a user is active in, and which of some projects are its. */
export interface Place {
  organization_id: string;
  projects: number[];
}

/** Where a user's keys can reach. */
export const placesOf = (db: Db, userId: number, projectIds: readonly number[]): Promise<Place[]> =>
  db
    .selectFrom('organization_memberships as m')
    .select('m.organization_id')
    .select(
      sql<number[]>`array(
        select p.id from projects p where p.organization_id = m.organization_id and p.id = any(${[...projectIds]}::int[])
      )`.as('projects'),
    )
    .where('m.user_id', '=', userId)
    .where('m.is_active', '=', true)
    .execute();
