import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps.js';
import { mountCollaborators } from './collaborators/index.js';

export { type FoundDashboard, findDashboard, requireEditable } from './find-dashboard.js';

/** Dashboards and what belongs to them: `dashboards/`. */
export function registerDashboards(app: FastifyInstance, deps: Deps): void {
  mountCollaborators(app, deps);
}
