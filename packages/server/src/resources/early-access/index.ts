import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { featureRoutes } from './routes.js';

/** Early access features, which people try by enrolling: `early_access_feature/`. */
export function registerEarlyAccess(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, featureRoutes);
}
