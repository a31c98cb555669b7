import type { FastifyInstance } from 'fastify';
import { mountAccessControls } from '../../access/index.js';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { mountActivity } from '../activity/index.js';
import { accessControls, findVisible } from './access.js';
import { experimentRoutes, resultsRoutes, stageRoutes } from './routes.js';
import { experimentParams } from './schema.js';

/** Experiments, their stages, results and activity log: `experiments/`. */
export function registerExperiments(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, [...experimentRoutes, ...stageRoutes, ...resultsRoutes]);
  mountAccessControls(app, deps, accessControls);
  mountActivity(app, deps, {
    path: '/experiments/:id/activity/',
    params: experimentParams,
    scope: 'Experiment',
    summary: 'List who changed what of an experiment, newest first',
    load: async (context) => (await findVisible(context)).row.id,
  });
}
