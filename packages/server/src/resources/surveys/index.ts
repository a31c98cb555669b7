import type { FastifyInstance } from 'fastify';
import { mountAccessControls } from '../../access/index.js';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { mountActivity, recordActivity, ruleEntry } from '../activity/index.js';
import { findFor, readRow } from './find-survey.js';
import { surveyRoutes } from './routes.js';
import { surveyParams } from './schema.js';
import { statsRoutes } from './stats-routes.js';

export { endFullSurveys } from './end-full.js';

/** Questions to the people who use pages and apps: `surveys/`. */
export function registerSurveys(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, [...statsRoutes, ...surveyRoutes]);
  mountAccessControls(app, deps, {
    resource: 'survey',
    path: '/surveys/:id',
    params: surveyParams,
    load: readRow,
    changed: (tx, context, { id, name }, change) =>
      recordActivity(tx, deps, ruleEntry(context, { of: { resource: 'survey', id }, name }, change)),
  });
  const findVisible = findFor('viewer');
  mountActivity(app, deps, {
    path: '/surveys/:id/activity/',
    params: surveyParams,
    scope: 'Survey',
    summary: 'List who changed what of a survey, newest first',
    load: async (context) => (await findVisible(context)).row.uuid,
  });
}
