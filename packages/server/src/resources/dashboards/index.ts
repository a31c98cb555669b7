import type { FastifyInstance } from 'fastify';
import { mountAccessControls } from '../../access/index.js';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { accessControls } from './access-controls.js';
import { mountCollaborators } from './collaborators/index.js';
import { createRoutes } from './create-routes.js';
import { listRoutes } from './list-routes.js';
import { retrieveRoutes } from './retrieve-routes.js';
import { tileRoutes } from './tile-routes.js';
import { updateRoutes } from './update-routes.js';

export { findDashboard } from './find-dashboard.js';
export { hasHiddenTiles, visible, visibleTiles } from './tile-view.js';

/** Dashboards, their tiles, their collaborators and who may see them. */
export function registerDashboards(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, [...listRoutes, ...createRoutes, ...retrieveRoutes, ...updateRoutes, ...tileRoutes]);
  mountCollaborators(app, deps);
  mountAccessControls(app, deps, accessControls);
}
