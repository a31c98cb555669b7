import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { mountActivity, mountLoggedRules } from '../activity/index.js';
import { findVisible, readLive } from './access.js';
import { surveyRoutes } from './routes.js';
import { surveyParams } from './schema.js';
import { statsRoutes } from './stats-routes.js';

export { endFullSurveys } from './service.js';

/** Surveys, their answers and their activity log: `surveys/`. */
export function registerSurveys(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, [...statsRoutes, ...surveyRoutes]);
  mountLoggedRules(app, deps, { resource: 'survey', path: '/surveys/:id', params: surveyParams, load: readLive });
  mountActivity(app, deps, {
    path: '/surveys/:id/activity/',
    params: surveyParams,
    scope: 'Survey',
    summary: 'List who changed what of a survey, newest first',
    load: async (context) => (await findVisible(context)).row.uuid,
  });
}
