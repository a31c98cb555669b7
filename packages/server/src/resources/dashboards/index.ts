import type { FastifyInstance } from 'fastify';
import { mountAccessControls } from '../../access/index.js';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { accessControls } from './access.js';
import { collaboratorRoutes } from './collaborators/routes.js';
import { dashboardRoutes } from './routes.js';

export { findDashboard } from './access.js';
export { hasHiddenTiles, visible, visibleTiles } from './retrieve.js';

/** Dashboards, their tiles and their collaborators: `dashboards/`. */
export function registerDashboards(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, [...dashboardRoutes, ...collaboratorRoutes]);
  mountAccessControls(app, deps, accessControls);
}
