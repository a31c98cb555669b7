import type { FastifyInstance } from 'fastify';
import { mountPublicRoutes, mountUserRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { logoutRoutes, publicRoutes, userRoutes } from './routes.js';

export { resetPassword } from './login.js';
export { createPasswords, hashPassword, type Passwords } from './password.js';
export { ensureInitAccount, firstAccountExists } from './signup.js';
export { countFailures, forgetFailures, takeBackFailures } from './throttle.js';

/** Sign-up, log-in, log-out and the caller's own account. */
export function registerAccounts(app: FastifyInstance, deps: Deps): void {
  mountPublicRoutes(app, deps, '', publicRoutes);
  for (const prefix of ['/api', '']) mountPublicRoutes(app, deps, prefix, logoutRoutes);
  mountUserRoutes(app, deps, '/api/users', userRoutes, { takesLimitedKeys: true });
}
