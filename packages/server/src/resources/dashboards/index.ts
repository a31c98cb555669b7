import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { mountLoggedRules } from '../activity/index.js';
import { readLive } from './access.js';
import { collaboratorRoutes } from './collaborators/routes.js';
import { dashboardRoutes } from './routes.js';
import { dashboardParams } from './schema.js';
import { versionRoutes } from './version.js';

export { findDashboard } from './access.js';
export { collaboratorLevels } from './collaborators/store.js';
export { hasHiddenTiles, visible, visibleTiles } from './retrieve.js';

/** Dashboards, their tiles and their collaborators: `dashboards/`. */
export function registerDashboards(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, [...dashboardRoutes, ...versionRoutes, ...collaboratorRoutes]);
  mountLoggedRules(app, deps, { resource: 'dashboard', path: '/dashboards/:id', params: dashboardParams, load: readLive });
}
