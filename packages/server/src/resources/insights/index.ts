import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { mountActivity, mountLoggedRules } from '../activity/index.js';
import { findVisible, readLive } from './access.js';
import { insightRoutes } from './routes.js';
import { insightParams } from './schema.js';

export { findInsight, insightLevels, isInsightEditable } from './access.js';
export { fieldsSchema, insightSchema } from './schema.js';
export { newInsight } from './service.js';
export { insertInsights, type NewInsight, readInsight } from './store.js';
export { insightView } from './view.js';

/** Insights, which are saved queries: `insights/`. */
export function registerInsights(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, insightRoutes);
  mountLoggedRules(app, deps, {
    resource: 'insight',
    path: '/insights/:id',
    params: insightParams,
    load: readLive,
    nameOf: ({ name, derived_name, short_id }) => ({ name: name || derived_name, short_id }),
  });
  mountActivity(app, deps, {
    path: '/insights/:id/activity/',
    params: insightParams,
    scope: 'Insight',
    summary: 'List who changed what of an insight, newest first',
    load: async (context) => (await findVisible(context)).row.id,
  });
}
