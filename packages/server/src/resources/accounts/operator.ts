import { sql } from 'kysely';
import type { Deps } from '../../deps.js';
import { validate } from '../../http/validate.js';
import { isUuid } from '../../kernel/ids.js';
import { OWNER } from '../../kernel/rights.js';
import type { Db } from '../../ports/db.js';
import { invite, inviteExpiry, inviteSchema } from '../organizations/index.js';
import { inviteSignupSchema, signupSchema } from './schema.js';
import { type SignupDeps, signUp, signUpMember } from './signup.js';
import { userExists } from './store.js';

/*
 * What the operator does by commands: without a caller, with the rules for fields that the API has. The activity log names the new user
 * for a membership, and nobody for an invite.
 */

/** A user that the operator wants. Undefined fields: the default. */
interface WantedUser {
  email: string;
  firstName: string | undefined;
  lastName: string | undefined;
  /** UUID or name of an organization; undefined: the only one. */
  organization: string | undefined;
  level: number | undefined;
}

/**
 * Creates a user with a password, as a member of an organization, or as the owner of a new one.
 * @param newOrganization name of an organization to make; undefined: the user joins one
 * @returns the name of the organization
 * @throws ApiError by the rules of sign-ups; Error in one sentence when the organization is not clear
 */
export async function createUser(
  deps: SignupDeps,
  { email, firstName, lastName, organization: named, level }: WantedUser,
  password: string,
  newOrganization: string | undefined,
): Promise<string> {
  const person = { first_name: firstName, last_name: lastName, password };
  if (newOrganization !== undefined) {
    const fields = validate(signupSchema, { ...person, email, organization_name: newOrganization });
    await signUp({ ...deps, config: { openSignup: true } }, fields);
    return newOrganization;
  }
  const { target_email: address, level: granted = 1 } = validate(inviteSchema, { target_email: email, level });
  const fields = validate(inviteSignupSchema, person);
  const organization = await requireOrganization(deps.db, named);
  await signUpMember(deps, organization, address, granted, fields);
  return organization.name;
}

/**
 * Invites a person to an organization, by the rules of invites.
 * @returns the invite, whose id is the secret of the link
 * @throws ApiError invalid_input; Error in one sentence when the organization is not clear
 */
export async function inviteUser(
  deps: Pick<Deps, 'db' | 'clock' | 'ids'>,
  { email, firstName, organization: named, level }: Omit<WantedUser, 'lastName'>,
): Promise<{ id: string; organization: string; expiresAt: Date }> {
  const fields = validate(inviteSchema, { target_email: email, first_name: firstName ?? '', level });
  const { id, name } = await requireOrganization(deps.db, named);
  const rows = await invite({ deps, organization: { id, level: OWNER }, principal: { userId: null } }, [fields]);
  const [row] = rows;
  if (!row) throw new Error(`${email} was not invited.`);
  return { id: row.id, organization: name, expiresAt: inviteExpiry(row) };
}

/** The organization of a name or UUID; without one, the only one that there is. @throws Error in one sentence */
async function requireOrganization(db: Db, named: string | undefined): Promise<{ id: string; name: string }> {
  const all = db.selectFrom('organizations').select(['id', 'name']).orderBy('name').orderBy('id').limit(10);
  const byName = sql<boolean>`lower(name) = lower(${named})`;
  const rows = await (named === undefined ? all : all.where(isUuid(named) ? sql<boolean>`id = ${named}` : byName)).execute();
  const [first, ...others] = rows;
  if (first && others.length === 0) return first;
  if (first) {
    const choices = rows.map(({ id, name }) => `${id} (${name})`).join(', ');
    throw new Error(`Say in which organization, by its UUID: ${choices}.`);
  }
  if (named !== undefined) throw new Error(`There is no organization "${named}".`);
  throw new Error(
    (await userExists(db))
      ? 'There is no organization: make one with --new-organization.'
      : 'There is no account yet: make the first with --new-organization and --password-stdin.',
  );
}

/** A user with their organizations, as the operator sees them. */
export interface ListedUser {
  email: string;
  first_name: string;
  last_name: string;
  is_active: boolean;
  date_joined: Date;
  last_login: Date | null;
  organizations: { id: string; name: string; level: number; is_active: boolean }[];
}

/** All users by address. */
export const listUsers = (db: Db): Promise<ListedUser[]> =>
  db
    .selectFrom('users')
    .select(['email', 'first_name', 'last_name', 'is_active', 'date_joined', 'last_login'])
    .select(
      sql<ListedUser['organizations']>`coalesce((
        select jsonb_agg(jsonb_build_object('id', o.id, 'name', o.name, 'level', m.level, 'is_active', m.is_active)
          order by m.joined_at, o.id)
        from organization_memberships m join organizations o on o.id = m.organization_id
        where m.user_id = users.id), '[]')`.as('organizations'),
    )
    .orderBy(sql`lower(email)`)
    .execute();
