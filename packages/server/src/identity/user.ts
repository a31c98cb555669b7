import type { Db } from '../ports/db.js';
import type { Json } from '../ports/db-schema.gen.js';

/** A user as other resources show them. */
export interface User {
  id: number;
  uuid: string;
  distinct_id: string;
  first_name: string;
  last_name: string;
  email: string;
  is_email_verified: boolean;
  hedgehog_config: Json;
}

/** What {@link userView} needs, for queries that join `users`. */
export const userColumns = [
  'users.id',
  'users.uuid',
  'users.distinct_id',
  'users.first_name',
  'users.last_name',
  'users.email',
  'users.is_email_verified',
  'users.hedgehog_config',
] as const;

/** Exactly the embedded user, whatever else the row holds. */
export const userView = ({
  id,
  uuid,
  distinct_id,
  first_name,
  last_name,
  email,
  is_email_verified,
  hedgehog_config,
}: User): User => ({ id, uuid, distinct_id, first_name, last_name, email, is_email_verified, hedgehog_config });

/** The users of a list's `created_by` column, in one statement; null and unknown ids are absent. */
export async function usersById(db: Db, ids: readonly (number | null)[]): Promise<Map<number, User>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null);
  if (wanted.length === 0) return new Map();
  const rows = await db.selectFrom('users').select(userColumns).where('users.id', 'in', wanted).execute();
  return new Map(rows.map((row) => [row.id, userView(row)]));
}
