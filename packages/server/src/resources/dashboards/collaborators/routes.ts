import { z } from 'zod';
import { type ProjectContext, projectRoute } from '../../../identity/index.js';
import { findDashboard, requireEditable } from '../find-dashboard.js';
import { addCollaborator, removeCollaborator } from './collaborators.js';
import { collaboratorBody, collaboratorSchema } from './schema.js';
import { listCollaborators } from './store.js';
import { collaboratorView } from './view.js';

/** Below a project. What a collaborator may do is changed by removing and adding them. */
export const collaboratorRoutes = [
  projectRoute({
    method: 'GET',
    path: '/dashboards/:dashboard_id/collaborators/',
    scope: 'dashboard:read',
    summary: 'List the collaborators of a dashboard',
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
