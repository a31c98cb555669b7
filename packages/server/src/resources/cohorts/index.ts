import type { FastifyInstance } from 'fastify';
import { mountAccessControls } from '../../access/index.js';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { mountActivity } from '../activity/index.js';
import { accessControls, findVisible } from './access.js';
import { cohortRoutes } from './routes.js';
import { cohortParams } from './schema.js';

/** Cohorts, which are sets of people: `cohorts/`. */
export function registerCohorts(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, cohortRoutes);
  mountAccessControls(app, deps, accessControls);
  mountActivity(app, deps, {
    path: '/cohorts/:id/activity/',
    params: cohortParams,
    scope: 'Cohort',
    summary: 'List who changed what of a cohort, newest first',
    load: async (context) => (await findVisible(context)).row.id,
  });
}
