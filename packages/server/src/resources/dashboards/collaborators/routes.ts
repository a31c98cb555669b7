import { z } from 'zod';
import { type ProjectContext, projectRoute } from '../../../auth/index.js';
import { findDashboard, requireEditable } from '../access.js';
import { collaboratorBody, collaboratorSchema } from './schema.js';
import { addCollaborator, collaboratorView, removeCollaborator } from './service.js';
import { listCollaborators } from './store.js';

const params = { dashboard_id: z.int().describe('Number of the dashboard.') };

/** Routes under a project. There is no update: clients remove a collaborator and add them again with another level. */
export const collaboratorRoutes = [
  projectRoute({
    method: 'GET',
    path: '/dashboards/:dashboard_id/collaborators/',
    scope: 'dashboard:read',
    summary: 'List the collaborators of a dashboard',
    description: 'A bare list, in the order in which they were added. Open to everybody who may see the dashboard.',
    params,
    status: 200,
    response: z.array(collaboratorSchema),
    load: find,
    handle: async ({ deps, project, loaded: { row } }) =>
      (await listCollaborators(deps.db, project.id, row.id)).map(collaboratorView),
  }),
  projectRoute({
    method: 'POST',
    path: '/dashboards/:dashboard_id/collaborators/',
    scope: 'dashboard:write',
    summary: 'Add a collaborator to a dashboard',
    description:
      'Takes effect while the dashboard is restricted to its collaborators. Creators and administrators need no invitation.',
    params,
    body: collaboratorBody,
    status: 201,
    response: collaboratorSchema,
    load: findEditable,
    handle: async ({ loaded, body, ...context }) => collaboratorView(await addCollaborator(context, loaded, body)),
  }),
  projectRoute({
    method: 'DELETE',
    path: '/dashboards/:dashboard_id/collaborators/:user__uuid/',
    scope: 'dashboard:write',
    summary: 'Remove a collaborator from a dashboard',
    params: { ...params, user__uuid: z.uuid().describe('`uuid` of the user.') },
    status: 204,
    load: findEditable,
    handle: ({ loaded, params, ...context }) => removeCollaborator(context, loaded, params['user__uuid'] ?? ''),
  }),
];

type Context = ProjectContext & { params: Record<string, string> };

function find(context: Context) {
  return findDashboard(context, context.params['dashboard_id'] ?? '', 'Dashboard not found.');
}

async function findEditable(context: Context) {
  const found = await find(context);
  requireEditable(context, found);
  return found.row;
}
