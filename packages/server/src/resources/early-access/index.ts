import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps.js';
import { mountProjectRoutes } from '../../identity/index.js';
import { featureRoutes } from './routes.js';

/** What people can try by enrolling: `early_access_feature/`. */
export function registerEarlyAccess(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, featureRoutes);
}
