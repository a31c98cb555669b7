import type { FastifyInstance } from 'fastify';
import { mountAccessControls } from '../../access/index.js';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { mountActivity } from '../activity/index.js';
import { accessControls, findVisible } from './actions.js';
import { actionRoutes } from './routes.js';
import { actionParams } from './schema.js';

/** Actions, which give one name to events that match any of their steps: `actions/`. */
export function registerActions(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, actionRoutes);
  mountAccessControls(app, deps, accessControls);
  mountActivity(app, deps, {
    path: '/actions/:id/activity/',
    params: actionParams,
    scope: 'Action',
    summary: 'List who changed what of an action, newest first',
    load: async (context) => (await findVisible(context)).row.id,
  });
}
