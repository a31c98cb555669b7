import type { FastifyInstance } from 'fastify';
import { mountAccessControls } from '../../access/index.js';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { ApiError } from '../../kernel/errors.js';
import { mountActivity, recordActivity, ruleEntry } from '../activity/index.js';
import { findInsight, readRow, subjectOf } from './find-insight.js';
import { insightParams, insightRoutes } from './routes.js';

export { newInsight } from './change.js';
export { findInsight, subjectOf } from './find-insight.js';
export { insightLevels } from './levels.js';
export { insightSchema } from './response.js';
export { fieldsSchema } from './schema.js';
export { insertInsights, type NewInsight, readInsight } from './store.js';
export { insightView } from './view.js';

/** Saved questions about events: `insights/`. */
export function registerInsights(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, insightRoutes);
  mountAccessControls(app, deps, {
    resource: 'insight',
    path: '/insights/:id',
    params: insightParams,
    load: async (context) => {
      const row = await readRow(context);
      if (row.deleted) throw new ApiError('not_found');
      return { ...subjectOf(row), name: row.name || row.derived_name, short_id: row.short_id };
    },
    changed: (tx, context, { id, name, short_id }, change) =>
      recordActivity(tx, deps, ruleEntry(context, { of: { resource: 'insight', id }, name, short_id }, change)),
  });
  mountActivity(app, deps, {
    path: '/insights/:id/activity/',
    params: insightParams,
    scope: 'Insight',
    summary: 'List who changed what of an insight, newest first',
    load: async (context) => (await findInsight(context)).row.id,
  });
}
