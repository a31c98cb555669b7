import { sql } from 'kysely';
import { jsonColumn } from '../../http/json-column.js';
import { ApiError } from '../../kernel/errors.js';
import type { Db } from '../../ports/db.js';
import { SHARED_COLUMN, type SharedObject } from '../shares/index.js';

const COLUMNS = ['id', 'created_at', 'enabled', 'access_token', 'settings', 'password_required'] as const;

const gone = () => new ApiError('not_found');

/** Views of the public page. */
const views = sql<number>`(
  select coalesce(sum(v.views), 0)::int from share_views v where v.sharing_configuration_id = sharing_configurations.id)`.as(
  'view_count',
);

export type SharingRow = NonNullable<Awaited<ReturnType<typeof readSharing>>>;

const sharing = (db: Db, projectId: number, { kind, id }: SharedObject) =>
  db
    .selectFrom('sharing_configurations')
    .select([...COLUMNS, views])
    .where('project_id', '=', projectId)
    .where(SHARED_COLUMN[kind], '=', id);

export const readSharing = (db: Db, projectId: number, object: SharedObject) => sharing(db, projectId, object).executeTakeFirst();

/** Reads the configuration and locks it until the transaction ends. @throws ApiError not_found: deleted meanwhile */
export const lockSharing = (db: Db, projectId: number, object: SharedObject) =>
  sharing(db, projectId, object).forNoKeyUpdate().executeTakeFirstOrThrow(gone);

/** Creates the configuration, disabled, unless it exists. */
export async function insertSharing(
  db: Db,
  projectId: number,
  { kind, id }: SharedObject,
  fields: { access_token: string; created_at: Date },
): Promise<void> {
  await db
    .insertInto('sharing_configurations')
    .values({ project_id: projectId, [SHARED_COLUMN[kind]]: id, ...fields })
    .onConflict((conflict) => conflict.column(SHARED_COLUMN[kind]).doNothing())
    .execute();
}

/** A change of a configuration; undefined fields stay as they are. */
interface SharingChange {
  enabled?: boolean | undefined;
  settings?: object | undefined;
  password_required?: boolean | undefined;
  /** The user whose access decides what the page shows. */
  published_by?: number | undefined;
  access_token?: string;
  previous_token?: string | null;
  previous_token_expires_at?: Date | null;
}

export const updateSharing = (
  db: Db,
  projectId: number,
  id: number,
  { settings, ...change }: SharingChange,
): Promise<SharingRow> =>
  db
    .updateTable('sharing_configurations')
    .set({ ...change, ...(settings === undefined ? {} : { settings: jsonColumn(settings) }) })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .returning([...COLUMNS, views])
    .executeTakeFirstOrThrow();

/** Whether the organization of a project allows public sharing. @throws ApiError not_found: deleted meanwhile */
export async function mayBeShared(db: Db, projectId: number): Promise<boolean> {
  const { allowed } = await db
    .selectFrom('projects as p')
    .innerJoin('organizations as o', 'o.id', 'p.organization_id')
    .select('o.allow_publicly_shared_resources as allowed')
    .where('p.id', '=', projectId)
    .executeTakeFirstOrThrow(gone);
  return allowed;
}

/** A password without its value. */
export interface PasswordRow {
  id: number;
  note: string;
  created_at: Date;
  created_by_email: string | null;
}

/** The passwords of an object's public page, oldest first. */
export const listPasswords = (db: Db, projectId: number, { kind, id }: SharedObject): Promise<PasswordRow[]> =>
  db
    .selectFrom('share_passwords as p')
    .innerJoin('sharing_configurations as s', 's.id', 'p.sharing_configuration_id')
    .leftJoin('users as u', 'u.id', 'p.created_by')
    .select(['p.id', 'p.note', 'p.created_at', 'u.email as created_by_email'])
    .where('s.project_id', '=', projectId)
    .where(`s.${SHARED_COLUMN[kind]}`, '=', id)
    .orderBy('p.id')
    .execute();

export async function insertPassword(
  db: Db,
  password: { sharing_configuration_id: number; note: string; password_hash: string; created_by: number; created_at: Date },
): Promise<number> {
  const { id } = await db.insertInto('share_passwords').values(password).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function countPasswords(db: Db, sharingId: number): Promise<number> {
  const { count } = await db
    .selectFrom('share_passwords')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('sharing_configuration_id', '=', sharingId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Deletes a password and returns its note; undefined: the object has no password with this id. */
export const deletePassword = (
  db: Db,
  projectId: number,
  { kind, id }: SharedObject,
  passwordId: number,
): Promise<{ note: string } | undefined> =>
  db
    .deleteFrom('share_passwords as p')
    .using('sharing_configurations as s')
    .whereRef('s.id', '=', 'p.sharing_configuration_id')
    .where('s.project_id', '=', projectId)
    .where(`s.${SHARED_COLUMN[kind]}`, '=', id)
    .where('p.id', '=', passwordId)
    .returning('p.note')
    .executeTakeFirst();
