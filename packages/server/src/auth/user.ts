import { z } from 'zod';
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

/** {@link User} as responses describe it. */
export const userSchema = z
  .object({
    id: z.int().describe('Number of the user.'),
    uuid: z.uuid().describe('Stable public identifier of the user.'),
    distinct_id: z.string().describe('Under which the user’s own events are captured.'),
    first_name: z.string().describe('First name; may be empty.'),
    last_name: z.string().describe('Last name; may be empty.'),
    email: z.string().describe('E-mail address, with which the user logs in.').meta({ format: 'email' }),
    is_email_verified: z.boolean().describe('Whether the user has proven that the address is theirs.'),
    hedgehog_config: z
      .record(z.string(), z.unknown())
      .describe('Free-form settings of how the user is shown; `{}` if there are none.'),
  })
  .meta({
    id: 'User',
    description: 'A user, as shown inside other objects.',
    example: {
      id: 1,
      uuid: '0197a3c1-5d6e-7b2f-9a31-4c8e2f60b7d1',
      distinct_id: 'nBPzLcMEV0SSc9vEjuXYUsjfYJuYbBoTxcHBRLyvRgq',
      first_name: 'Ada',
      last_name: 'Byron',
      email: 'ada@example.com',
      is_email_verified: false,
      hedgehog_config: {},
    },
  });

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
