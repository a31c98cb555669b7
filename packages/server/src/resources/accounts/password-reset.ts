import { z } from 'zod';
import {
  endSessions,
  type OrganizationContext,
  organizationRoute,
  publicRoute,
  rejectCrossSiteWrite,
  secretHash,
  startSession,
} from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { isoTime } from '../../http/dates.js';
import { secret } from '../../http/fields.js';
import { inTransaction } from '../../http/in-transaction.js';
import { origin } from '../../http/origin.js';
import { ApiError } from '../../kernel/errors.js';
import type { Db } from '../../ports/db.js';
import { logMember, memberParams, requireAdmin, requireMayEdit, requireMember } from '../organizations/index.js';
import { masked } from './login.js';
import { hashPassword, type Passwords } from './password.js';
import { loggedInSchema } from './schema.js';
import { findAccount, findReset, isBeyondAdministrator, putReset, takeReset, updateUser } from './store.js';
import { unlockAccount } from './throttle.js';

const LIFETIME_MS = 86_400_000;

/**
 * Gives an account a new password, ends its sessions and forgets its failed log-ins; its personal API keys stay. Answers with
 * the account's e-mail address; null: there is no such account.
 * @throws ApiError password_too_short, password_too_weak
 */
export async function resetPassword(
  { db, passwords }: { db: Db; passwords: Passwords },
  email: string,
  password: string,
): Promise<string | null> {
  const account = await findAccount(db, email);
  if (!account) return null;
  await passwords.requireStrong(password, [account.email, account.first_name, account.last_name]);
  const passwordHash = await hashPassword(password);
  await inTransaction(db, (tx) => storePassword(tx, account, passwordHash));
  return account.email;
}

async function storePassword(tx: Db, account: { id: number; email: string }, password_hash: string): Promise<void> {
  await updateUser(tx, account.id, { password_hash });
  await endSessions(tx, account.id);
  await unlockAccount(tx, account.email);
}

/** Routes under `/api/organizations/:organization_id`. */
export const organizationResetRoutes = [
  organizationRoute({
    method: 'POST',
    path: '/members/:user_uuid/password_reset/',
    params: memberParams,
    scope: 'session',
    summary: 'Make a link by which a member sets a new password',
    description:
      'For administrators, to pass on: the service sends no mail. The link works once, for a day, and replaces an earlier one. Members who also belong to an organization that the caller does not administer at their level are refused.',
    status: 201,
    response: z.object({
      url: z.string().describe('Address for the member. Only this response has it.').meta({ format: 'uri' }),
      expires_at: z.iso.datetime().describe('When the link stops working.'),
    }),
    load: async (context) => {
      await requireAdmin(context);
      const member = await requireMember(context, context.params['user_uuid'] ?? '');
      requireMayEdit({ user_id: context.principal.userId, level: context.organization.level }, member);
      if (await isBeyondAdministrator(context.deps.db, member.user_id, context.principal.userId)) {
        throw new ApiError('permission_denied', 'This member also belongs to an organization that you do not administer.');
      }
      return member;
    },
    handle: ({ loaded, ...context }) => createReset(context, loaded),
  }),
];

async function createReset(context: OrganizationContext, member: Awaited<ReturnType<typeof requireMember>>) {
  const { deps, request, organization, principal } = context;
  const token = deps.ids.token(32);
  const expiresAt = new Date(deps.clock.now() + LIFETIME_MS);
  await inTransaction(deps.db, async (tx) => {
    await putReset(tx, {
      user_id: member.user_id,
      token_hash: secretHash(token),
      created_by: principal.userId,
      expires_at: expiresAt,
    });
    const by = { organizationId: organization.id, userId: principal.userId };
    await logMember(tx, deps, by, member, member, 'password_reset');
  });
  return { url: `${origin(request)}/reset/${token}`, expires_at: isoTime(expiresAt) };
}

const resetParams = { token: z.string().describe('The last part of the link’s address.') };

/** Routes under `/api/password_reset`: what the page of a link calls. */
export const passwordResetRoutes = [
  publicRoute({
    method: 'GET',
    path: '/:token/',
    scope: null,
    summary: 'Say for whom a link sets a password',
    params: resetParams,
    status: 200,
    response: z.object({
      email: z.string().describe('Address of the account, in part.').meta({ example: 'a****a@example.com' }),
      first_name: z.string().describe('First name of the user; may be empty.'),
    }),
    load: ({ deps, params }) => openReset(deps, params['token'] ?? ''),
    handle: async ({ loaded }) => ({ email: masked(loaded.email), first_name: loaded.first_name }),
  }),
  publicRoute({
    method: 'POST',
    path: '/:token/',
    scope: null,
    summary: 'Set a new password by a link, and log in',
    description: 'Ends all sessions of the account. Its personal API keys stay.',
    params: resetParams,
    body: z
      .object({ password: secret().describe('At least 8 characters, and hard to guess.') })
      .meta({ example: { password: 'correct horse battery staple' } }),
    status: 200,
    response: loggedInSchema,
    errors: [403],
    load: async ({ deps, request, params }) => {
      rejectCrossSiteWrite(request);
      return openReset(deps, params['token'] ?? '');
    },
    handle: async ({ loaded: account, body: { password }, params, ...context }) => {
      const { db, services } = context.deps;
      await services.passwords.requireStrong(password, [account.email, account.first_name, account.last_name]);
      const passwordHash = await hashPassword(password);
      await inTransaction(db, async (tx) => {
        // of two requests with one link the second one is too late
        if (!(await takeReset(tx, secretHash(params['token'] ?? '')))) throw new ApiError('not_found');
        await storePassword(tx, account, passwordHash);
      });
      await startSession(context, account.id);
      return { success: true as const };
    },
  }),
];

/** The account of a link. @throws ApiError not_found: unknown, used, replaced or expired */
async function openReset({ db, clock }: Deps, token: string) {
  const account = await findReset(db, secretHash(token), new Date(clock.now()));
  if (!account) throw new ApiError('not_found', 'This link is not valid any more.');
  return account;
}
