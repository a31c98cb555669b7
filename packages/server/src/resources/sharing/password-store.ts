import type { Db } from '../../ports/db.js';
import { SHARED_COLUMN, type SharedObject } from '../shares/index.js';

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
