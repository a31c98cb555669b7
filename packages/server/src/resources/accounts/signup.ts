import type { z } from 'zod';
import { secretHash } from '../../auth/index.js';
import type { Config, InitAccount } from '../../config.js';
import type { Deps } from '../../deps.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import { isUniqueViolation } from '../../kernel/sql.js';
import { acceptInvite, foundOrganization, joinOrganization, type OpenInvite } from '../organizations/index.js';
import { hashPassword, type Passwords } from './password.js';
import type { inviteSignupSchema, signupSchema } from './schema.js';
import { emailTaken, insertKey, insertUser, lockSignup, userExists } from './store.js';

/** Whether somebody has signed up already. */
export const firstAccountExists = (deps: Deps): Promise<boolean> => userExists(deps.db);

/** What sign-ups use, so that commands can give it. */
export interface SignupDeps extends Pick<Deps, 'db' | 'clock' | 'ids'> {
  config: Pick<Config, 'openSignup'>;
  services: { passwords: Passwords };
}

/** @throws ApiError permission_denied when only invited people may sign up */
export async function requireOpenSignup(deps: Pick<SignupDeps, 'config' | 'db'>, db = deps.db): Promise<void> {
  if (deps.config.openSignup || !(await userExists(db))) return;
  throw new ApiError('permission_denied', 'New accounts need an invite. Ask an administrator of your organization for one.');
}

/** Creates a user with an organization and a project of their own. Of several first sign-ups at once, one wins. */
export async function signUp(deps: SignupDeps, fields: z.output<typeof signupSchema>): Promise<number> {
  const { email, first_name: firstName, last_name: lastName = '', password } = fields;
  const organization = fields.organization_name || `${firstName.slice(0, 48)}'s organization`;
  await deps.services.passwords.requireStrong(password, [email, firstName, lastName, organization]);
  const passwordHash = await hashPassword(password);
  return refusingTakenEmail(() =>
    inTransaction(deps.db, async (trx) => {
      await lockSignup(trx);
      await requireOpenSignup(deps, trx);
      const userId = await insertUser(trx, deps, { email, firstName, lastName, passwordHash });
      await foundOrganization(trx, deps, { userId, name: organization, project: 'Default project', projectKey: null });
      return userId;
    }),
  );
}

/** Creates a user for an invited person. @throws ApiError account_exists, invalid_input */
export async function signUpInvited(
  deps: Deps,
  invite: OpenInvite,
  fields: z.output<typeof inviteSignupSchema>,
): Promise<number> {
  const { first_name: firstName, last_name: lastName = '', password } = fields;
  const email = invite.target_email;
  if (await emailTaken(deps.db, email)) throw new ApiError('account_exists');
  await deps.services.passwords.requireStrong(password, [email, firstName, lastName, invite.organization_name]);
  const passwordHash = await hashPassword(password);
  return refusingTakenEmail(() =>
    inTransaction(deps.db, async (trx) => {
      const userId = await insertUser(trx, deps, { email, firstName, lastName, passwordHash });
      await acceptInvite(trx, deps, invite, userId);
      return userId;
    }),
  );
}

/** Creates a user as a member of an organization, without an invite: for the operator. @throws ApiError account_exists */
export async function signUpMember(
  deps: SignupDeps,
  organization: { id: string; name: string },
  email: string,
  level: number,
  fields: z.output<typeof inviteSignupSchema>,
): Promise<void> {
  const { first_name: firstName, last_name: lastName = '', password } = fields;
  if (await emailTaken(deps.db, email)) throw new ApiError('account_exists');
  await deps.services.passwords.requireStrong(password, [email, firstName, lastName, organization.name]);
  const passwordHash = await hashPassword(password);
  const offer = { organization_id: organization.id, target_email: email, level, private_project_access: [] };
  await refusingTakenEmail(() =>
    inTransaction(deps.db, async (trx) => {
      const userId = await insertUser(trx, deps, { email, firstName, lastName, passwordHash });
      await joinOrganization(trx, deps, offer, userId);
    }),
  );
}

/** Runs a write of a user. @throws ApiError unique: the address is taken */
export async function refusingTakenEmail<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new ApiError('unique', 'There is already an account with this email address.', 'email');
  }
}

/**
 * Creates the account of the TIDEMARK_INIT_* settings with its organization, project and key, unless its user exists. Several
 * servers may start together. Fails when one of the keys belongs to another project or user.
 */
export async function ensureInitAccount(deps: Deps): Promise<void> {
  const { init } = deps.config;
  if (!init || (await emailTaken(deps.db, init.email))) return;
  const passwordHash = await hashPassword(init.password);
  try {
    await insertAccount(deps, init, passwordHash);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new Error('TIDEMARK_INIT_PROJECT_KEY or TIDEMARK_INIT_PERSONAL_KEY is in use by another project or user.');
  }
}

async function insertAccount(deps: Deps, init: InitAccount, passwordHash: string): Promise<void> {
  await inTransaction(deps.db, async (trx) => {
    await lockSignup(trx);
    if (await emailTaken(trx, init.email)) return;
    const firstName = init.email.split('@')[0] ?? '';
    const userId = await insertUser(trx, deps, { email: init.email, firstName, lastName: '', passwordHash });
    const { organization: name, project, projectKey } = init;
    await foundOrganization(trx, deps, { userId, name, project, projectKey });
    if (!init.personalKey) return;
    await insertKey(trx, {
      id: deps.ids.uuid(),
      userId,
      label: 'Made at the first start',
      hash: secretHash(init.personalKey),
      mask: `tms_...${init.personalKey.slice(-4)}`,
      scopes: ['*'],
      now: new Date(deps.clock.now()),
    });
  });
}
