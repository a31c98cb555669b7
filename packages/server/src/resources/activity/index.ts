import type { FastifyInstance } from 'fastify';
import { mountOrganizationRoutes, mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { organizationRoutes, projectRoutes } from './routes.js';

export {
  type Activity,
  type ActivityEntry,
  byCaller,
  type Caller,
  type Change,
  changesBetween,
  kindOfChange,
  ruleEntry,
} from './entry.js';
export { mountImportedActivity } from './imported.js';
export { recordActivities, recordActivity } from './record.js';
export { mountActivity, mountLoggedRules } from './routes.js';

/** The activity log, which records who changed what: `/activity_log/` of projects and of organizations. */
export function registerActivity(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, projectRoutes);
  mountOrganizationRoutes(app, deps, organizationRoutes);
}
