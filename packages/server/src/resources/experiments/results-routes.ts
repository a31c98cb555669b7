import { projectRoute } from '../../auth/index.js';
import { disconnectSignal } from '../results/index.js';
import { findVisible } from './access.js';
import { estimatePlan, planSchema } from './plan.js';
import { experimentResults } from './results.js';
import { resultsQuery, resultsSchema, runningTimeSchema } from './results-schema.js';
import { experimentParams } from './schema.js';

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const resultsRoutes = [
  projectRoute({
    method: 'GET',
    path: '/experiments/:id/results/',
    params: experimentParams,
    scope: 'experiment:read',
    summary: 'Compute the results of an experiment',
    description:
      'Persons count by their first exposure between start and end. A metric that cannot be computed has an `error`; the others still have results.',
    query: resultsQuery,
    status: 200,
    response: resultsSchema,
    load: findVisible,
    handle: ({ query, loaded: { row }, ...context }) =>
      experimentResults(context, row, query.metric || undefined, disconnectSignal(context.reply.raw)),
  }),
  projectRoute({
    method: 'POST',
    path: '/experiments/running_time/',
    scope: 'experiment:read',
    summary: 'Estimate how many persons and days an experiment would take',
    body: planSchema,
    status: 200,
    response: runningTimeSchema,
    handle: async ({ body }) => estimatePlan(body),
  }),
];
