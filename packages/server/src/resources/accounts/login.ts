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
