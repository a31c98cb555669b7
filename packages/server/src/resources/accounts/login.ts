import type { FastifyReply, FastifyRequest } from 'fastify';
import { startSession } from '../../auth/index.js';
import type { RequestContext } from '../../http/route.js';
import { ApiError } from '../../kernel/errors.js';
import { findLogin, noteLogin } from './store.js';
import { throttled } from './throttle.js';

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

/** `person@example.com` as `p****n@example.com`: enough to recognize one's own address. */
export function masked(email: string): string {
  const [name = '', host = ''] = email.split('@');
  return `${name.slice(0, 1)}****${name.slice(1).slice(-1)}@${host}`;
}
