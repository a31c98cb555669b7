import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { mountActivity, mountLoggedRules } from '../activity/index.js';
import { findVisible, readLive } from './access.js';
import { cohortRoutes } from './routes.js';
import { cohortParams } from './schema.js';

/** Cohorts, which are sets of people: `cohorts/`. */
export function registerCohorts(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, cohortRoutes);
  mountLoggedRules(app, deps, { resource: 'cohort', path: '/cohorts/:id', params: cohortParams, load: readLive });
  mountActivity(app, deps, {
    path: '/cohorts/:id/activity/',
    params: cohortParams,
    scope: 'Cohort',
    summary: 'List who changed what of a cohort, newest first',
    load: async (context) => (await findVisible(context)).row.id,
  });
}
