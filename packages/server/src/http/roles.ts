import type { FastifyInstance } from 'fastify';
import type { Deps } from '../deps.js';
import { type Role, RoleOff } from '../kernel/roles.js';
import { allowAllOrigins } from './not-found.js';

/**
 * Registers the routes of a role. On a server without the role they answer 503 in the format of their protocol, so that clients whom a
 * load balancer has sent to the wrong server try again. Background work may still use them.
 */
export function registerForRole(
  app: FastifyInstance,
  { config, services }: Pick<Deps, 'config' | 'services'>,
  role: Role,
  register: (scope: FastifyInstance) => void,
): void {
  if (config.roles.includes(role)) {
    register(app);
    return;
  }
  app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      const isProbe = request.url.startsWith('/_');
      if (isProbe || request.method === 'OPTIONS' || services.impersonation.principal()) return;
      allowAllOrigins(reply);
      throw new RoleOff(role);
    });
    register(scope);
  });
}
