import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { mountActivity } from '../activity/index.js';
import { findLogged } from './access.js';
import { groupRoutes, typeRoutes } from './routes.js';
import { activityQuery } from './schema.js';

/** Groups, such as companies, to which events belong beside persons, and their types: `groups/`, `groups_types/`. */
export function registerGroups(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, [...groupRoutes, ...typeRoutes]);
  // PostHog documents group types at this address
  mountProjectRoutes(app, deps, typeRoutes, ['/api/:project_id']);
  mountActivity(app, deps, {
    path: '/groups/activity/',
    scope: 'Group',
    summary: 'List who changed which groups, newest first; of one group, with `group_type_index` and `group_key`',
    query: activityQuery.shape,
    load: findLogged,
  });
}
