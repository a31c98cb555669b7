import type { FastifyInstance } from 'fastify';
import { mountAccessControls } from '../../access/index.js';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { ApiError } from '../../kernel/errors.js';
import { mountActivity, recordActivity, ruleEntry } from '../activity/index.js';
import { findAction, readRow } from './find-action.js';
import { actionRoutes } from './routes.js';
import { actionParams } from './schema.js';

/** Events that have a name together: `actions/`. */
export function registerActions(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, actionRoutes);
  mountAccessControls(app, deps, {
    resource: 'action',
    path: '/actions/:id',
    params: actionParams,
    load: async (context) => {
      const row = await readRow(context);
      if (row.deleted) throw new ApiError('not_found');
      return row;
    },
    changed: (tx, context, { id, name }, change) =>
      recordActivity(tx, deps, ruleEntry(context, { of: { resource: 'action', id }, name }, change)),
  });
  mountActivity(app, deps, {
    path: '/actions/:id/activity/',
    params: actionParams,
    scope: 'Action',
    summary: 'List who changed what of an action, newest first',
    load: async (context) => (await findAction(context)).row.id,
  });
}
