import type { FastifyInstance } from 'fastify';
import { mountProjectAccessControls } from '../../access/index.js';
import { mountOrganizationRoutes, mountProjectRoutes, mountUserRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { recordActivity, ruleEntry } from '../activity/index.js';
import { createRoutes, listRoutes, organizationRoutes, projectRoutes } from './routes.js';

export { foundProject } from './change.js';
export { projectBasicSchema } from './schema.js';
export { allProjects } from './store.js';
export { projectBasicView } from './view.js';

/** Projects: `/api/projects/`, their mirror `/api/environments/`, and `/api/organizations/:organization_id/projects/`. */
export function registerProjects(app: FastifyInstance, deps: Deps): void {
  mountUserRoutes(app, deps, '/api/projects', [...listRoutes, ...createRoutes]);
  mountUserRoutes(app, deps, '/api/environments', listRoutes);
  mountProjectRoutes(app, deps, projectRoutes);
  mountOrganizationRoutes(app, deps, organizationRoutes);
  mountProjectAccessControls(app, deps, {
    changed: (tx, context, change) =>
      recordActivity(tx, deps, ruleEntry(context, { of: null, name: context.project.name }, change)),
  });
}
