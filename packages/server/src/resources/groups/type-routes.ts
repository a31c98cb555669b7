import { z } from 'zod';
import { requireResourceLevel } from '../../access/index.js';
import { projectRoute } from '../../auth/index.js';
import { renameGroupTypes } from './rename-types.js';
import { groupTypeSchema, renameSchema } from './schema.js';
import { listTypes } from './type-store.js';
import { groupTypeView } from './view.js';

export const typeRoutes = [
  projectRoute({
    method: 'GET',
    path: '/groups_types/',
    scope: 'group:read',
    summary: 'List the group types of a project, by index',
    status: 200,
    response: z.array(groupTypeSchema),
    handle: async ({ deps, project }) => (await listTypes(deps.db, project.id)).map(groupTypeView),
  }),
  projectRoute({
    method: 'PATCH',
    path: '/groups_types/update_metadata/',
    scope: 'group:write',
    summary: 'Say what people call the groups of some types',
    body: renameSchema,
    status: 200,
    errors: [404],
    response: z.array(groupTypeSchema),
    load: requireResourceLevel('group', 'editor'),
    handle: async ({ body, ...context }) => (await renameGroupTypes(context, body)).map(groupTypeView),
  }),
];
