import { z } from 'zod';
import { type ProjectContext, projectRoute } from '../../../auth/index.js';
import { findDashboard, requireEditable } from '../find-dashboard.js';
import { addCollaborator, removeCollaborator } from './collaborators.js';
import { collaboratorBody, collaboratorSchema } from './schema.js';
import { listCollaborators } from './store.js';
import { collaboratorView } from './view.js';

const params = { dashboard_id: z.int().describe('Number of the dashboard.') };

/** Below a project. What a collaborator may do is changed by removing and adding them. */
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
    load: findOpenDashboard,
    handle: async ({ deps, project, loaded: { dashboard } }) =>
      (await listCollaborators(deps.db, project.id, dashboard.id)).map(collaboratorView),
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

function findOpenDashboard(context: Context) {
  return findDashboard(context, context.params['dashboard_id'] ?? '', { detail: 'Dashboard not found.' });
}

async function findEditable(context: Context) {
  const found = await findOpenDashboard(context);
  requireEditable(context, found);
  return found.dashboard;
}
