import type { FastifyInstance } from 'fastify';
import { mountOrganizationRoutes, mountPublicRoutes, mountUserRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { deviceRoutes } from './devices.js';
import { organizationResetRoutes, passwordResetRoutes } from './password-reset.js';
import { logoutRoutes, publicRoutes, userRoutes } from './routes.js';
import { type Release, sessionRoutes } from './session.js';

export { createUser, inviteUser, type ListedUser, listUsers } from './operator.js';
export { createPasswords, hashPassword, type Passwords } from './password.js';
export { resetPassword } from './password-reset.js';
export { ensureInitAccount, firstAccountExists } from './signup.js';
export { findLogin } from './store.js';
export { countFailures, forgetFailures, takeBackFailures } from './throttle.js';

/** Sign-up, log-in, log-out and the caller's own account. */
export function registerAccounts(app: FastifyInstance, deps: Deps): void {
  mountPublicRoutes(app, deps, '', publicRoutes);
  for (const prefix of ['/api', '']) mountPublicRoutes(app, deps, prefix, logoutRoutes);
  mountPublicRoutes(app, deps, '/api/password_reset', passwordResetRoutes);
  mountOrganizationRoutes(app, deps, organizationResetRoutes);
  mountUserRoutes(app, deps, '/api/users', [...userRoutes, ...deviceRoutes], { takesLimitedKeys: true });
}

/** `/api/session/`: what a browser has to know to begin. */
export function registerSession(app: FastifyInstance, deps: Deps, release: Release): void {
  mountPublicRoutes(app, deps, '/api/session', sessionRoutes(release));
}
