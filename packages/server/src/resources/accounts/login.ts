import type { FastifyReply, FastifyRequest } from 'fastify';
import { endSessions, startSession } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import type { RequestContext } from '../../http/route.js';
import { ApiError } from '../../kernel/errors.js';
import type { Db } from '../../ports/db.js';
import { hashPassword, type Passwords } from './password.js';
import { findAccount, findLogin, noteLogin, updateUser } from './store.js';
import { throttled, unlockAccount } from './throttle.js';

/** Logs in. @throws ApiError invalid_credentials, too_many_failed_attempts */
export async function logIn(context: RequestContext, email: string, password: string): Promise<void> {
  const { deps } = context;
  const userId = await throttled(context, email, async () => {
    const user = await findLogin(deps.db, email);
    if (!(await deps.services.passwords.match(password, user?.password_hash ?? null)) || !user)
      throw new ApiError('invalid_credentials');
    return user.id;
  });
  await noteLogin(deps.db, userId, new Date(deps.clock.now()));
  await startSession(context, userId);
}

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
  const password_hash = await hashPassword(password);
  await inTransaction(db, async (tx) => {
    await updateUser(tx, account.id, { password_hash });
    await endSessions(tx, account.id);
    await unlockAccount(tx, account.email);
  });
  return account.email;
}

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Log out</title></head>
<body>
<form method="post" action=""><p>Do you want to log out?</p><button>Log out</button></form>
</body>
</html>
`;

/** Sends a page whose button logs out; other sites can neither frame it nor send its form. */
export const sendLogoutPage = (reply: FastifyReply): FastifyReply =>
  reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      'x-frame-options': 'DENY',
    })
    .send(PAGE);

/** Whether a browser sent the request by a form and will show the answer. */
export const isForm = ({ headers }: FastifyRequest): boolean =>
  /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '');
