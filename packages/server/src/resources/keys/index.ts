import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps.js';
import { mountUserRoutes } from '../../identity/index.js';
import { keyRoutes } from './routes.js';

/** Personal API keys: `/api/personal_api_keys/`. */
export function registerKeys(app: FastifyInstance, deps: Deps): void {
  mountUserRoutes(app, deps, '/api/personal_api_keys', keyRoutes, { takesLimitedKeys: true });
}
