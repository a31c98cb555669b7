import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { mountActivity, mountLoggedRules } from '../activity/index.js';
import { findVisible, readLive } from './access.js';
import { experimentRoutes, resultsRoutes, stageRoutes } from './routes.js';
import { experimentParams } from './schema.js';

/** Experiments, their stages, results and activity log: `experiments/`. */
export function registerExperiments(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, [...experimentRoutes, ...stageRoutes, ...resultsRoutes]);
  mountLoggedRules(app, deps, { resource: 'experiment', path: '/experiments/:id', params: experimentParams, load: readLive });
  mountActivity(app, deps, {
    path: '/experiments/:id/activity/',
    params: experimentParams,
    scope: 'Experiment',
    summary: 'List who changed what of an experiment, newest first',
    load: async (context) => (await findVisible(context)).row.id,
  });
}
