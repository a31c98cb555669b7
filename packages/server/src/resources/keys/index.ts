import type { FastifyInstance } from 'fastify';
import { mountUserRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { keyRoutes } from './routes.js';

export { createKey } from './keys.js';
export { createSchema } from './schema.js';

/** Personal API keys: `/api/personal_api_keys/`. */
export function registerKeys(app: FastifyInstance, deps: Deps): void {
  mountUserRoutes(app, deps, '/api/personal_api_keys', keyRoutes, { takesLimitedKeys: true });
}
