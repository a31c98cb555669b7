import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { mountActivity } from '../activity/index.js';
import { editRoutes } from './edit-routes.js';
import { loadLoggedGroup } from './load-group.js';
import { groupRoutes } from './routes.js';
import { activityQuery } from './schema.js';
import { typeRoutes } from './type-routes.js';

/** What events belong to beside persons, such as companies: `groups/`, and their kinds, `groups_types/`. */
export function registerGroups(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, [...groupRoutes, ...editRoutes, ...typeRoutes]);
  // the address at which the API's documents name the group types
  mountProjectRoutes(app, deps, typeRoutes, ['/api/:project_id']);
  mountActivity(app, deps, {
    path: '/groups/activity/',
    scope: 'Group',
    summary: 'List who changed which groups, newest first; of one group, with `group_type_index` and `group_key`',
    query: activityQuery.shape,
    load: loadLoggedGroup,
  });
}
