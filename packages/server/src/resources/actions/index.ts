import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { mountActivity, mountLoggedRules } from '../activity/index.js';
import { findVisible, readLive } from './actions.js';
import { actionRoutes } from './routes.js';
import { actionParams } from './schema.js';

/** Actions, which give one name to events that match any of their steps: `actions/`. */
export function registerActions(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, actionRoutes);
  mountLoggedRules(app, deps, { resource: 'action', path: '/actions/:id', params: actionParams, load: readLive });
  mountActivity(app, deps, {
    path: '/actions/:id/activity/',
    params: actionParams,
    scope: 'Action',
    summary: 'List who changed what of an action, newest first',
    load: async (context) => (await findVisible(context)).row.id,
  });
}
