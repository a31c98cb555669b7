import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../../deps.js';
import { mountProjectRoutes } from '../../../identity/index.js';
import { collaboratorRoutes } from './routes.js';

/** Whom a dashboard was opened to: `dashboards/:dashboard_id/collaborators/`. */
export function mountCollaborators(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, collaboratorRoutes);
}
