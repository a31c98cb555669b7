import type { FastifyInstance } from 'fastify';
import { mountAccessControls } from '../../access/index.js';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { ApiError } from '../../kernel/errors.js';
import { mountActivity, recordActivity, ruleEntry } from '../activity/index.js';
import { actionRoutes } from './action-routes.js';
import { findExperiment, readRow } from './find-experiment.js';
import { resultsRoutes } from './results-routes.js';
import { experimentRoutes } from './routes.js';
import { experimentParams } from './schema.js';

/** Comparisons of the variants of flags: `experiments/`. */
export function registerExperiments(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, [...experimentRoutes, ...actionRoutes, ...resultsRoutes]);
  mountAccessControls(app, deps, {
    resource: 'experiment',
    path: '/experiments/:id',
    params: experimentParams,
    load: async (context) => {
      const row = await readRow(context);
      if (row.deleted) throw new ApiError('not_found');
      return row;
    },
    changed: (tx, context, { id, name }, change) =>
      recordActivity(tx, deps, ruleEntry(context, { of: { resource: 'experiment', id }, name }, change)),
  });
  mountActivity(app, deps, {
    path: '/experiments/:id/activity/',
    params: experimentParams,
    scope: 'Experiment',
    summary: 'List who changed what of an experiment, newest first',
    load: async (context) => (await findExperiment(context)).row.id,
  });
}
