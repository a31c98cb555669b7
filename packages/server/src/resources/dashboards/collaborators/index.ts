import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../../auth/index.js';
import type { Deps } from '../../../deps.js';
import { collaboratorRoutes } from './routes.js';

/** Whom a dashboard was opened to: `dashboards/:dashboard_id/collaborators/`. */
export function mountCollaborators(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, collaboratorRoutes);
}
