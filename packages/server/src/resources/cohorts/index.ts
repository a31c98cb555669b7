import type { FastifyInstance } from 'fastify';
import { mountAccessControls } from '../../access/index.js';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { ApiError } from '../../kernel/errors.js';
import { mountActivity, recordActivity, ruleEntry } from '../activity/index.js';
import { findCohort, readRow } from './find-cohort.js';
import { peopleRoutes } from './people-routes.js';
import { cohortRoutes } from './routes.js';
import { cohortParams } from './schema.js';

/** People who have something in common: `cohorts/`. */
export function registerCohorts(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, [...cohortRoutes, ...peopleRoutes]);
  mountAccessControls(app, deps, {
    resource: 'cohort',
    path: '/cohorts/:id',
    params: cohortParams,
    load: async (context) => {
      const row = await readRow(context);
      if (row.deleted) throw new ApiError('not_found');
      return row;
    },
    changed: (tx, context, { id, name }, change) =>
      recordActivity(tx, deps, ruleEntry(context, { of: { resource: 'cohort', id }, name }, change)),
  });
  mountActivity(app, deps, {
    path: '/cohorts/:id/activity/',
    params: cohortParams,
    scope: 'Cohort',
    summary: 'List who changed what of a cohort, newest first',
    load: async (context) => (await findCohort(context)).row.id,
  });
}
