import { accessOf } from '../../access/index.js';
import { type ProjectContext, projectRoute } from '../../auth/index.js';
import { requestsRestore } from '../../http/asks-to-restore.js';
import { ApiError } from '../../kernel/errors.js';
import { findDashboard, requireEditable } from './find-dashboard.js';
import { dashboardParams, dashboardSchema } from './response-schema.js';
import { type PatchFields, patchSchema } from './schema.js';
import { showDashboard } from './show.js';
import { type Changeable, patchDashboard } from './update.js';

const update = {
  path: '/dashboards/:id/',
  scope: 'dashboard:write',
  params: dashboardParams,
  body: patchSchema,
  status: 200,
  response: dashboardSchema,
  refuses: [403],
  load: loadForChange,
  handle,
} as const;

export const updateRoutes = [
  projectRoute({ ...update, method: 'PATCH', summary: 'Change, delete or restore a dashboard' }),
  projectRoute({ ...update, method: 'PUT', summary: 'Change, delete or restore a dashboard; fields left out stay as they are' }),
  projectRoute({
    method: 'DELETE',
    path: '/dashboards/:id/',
    scope: 'dashboard:write',
    summary: 'Never deletes: answers 405 without a body. Send `deleted: true` with PATCH instead',
    params: dashboardParams,
    status: 405,
    handle: async ({ reply }) => reply.code(405).send(),
  }),
];

async function handle(context: ProjectContext & { loaded: Changeable; body: PatchFields }) {
  const { loaded, body } = context;
  const dashboard = await patchDashboard(context, loaded, body);
  return showDashboard(context, { ...loaded, dashboard }, loaded.insights);
}

async function loadForChange(context: ProjectContext & { params: Record<string, string> }): Promise<Changeable> {
  const [found, insights] = await Promise.all([
    findDashboard(context, context.params['id'] ?? '', { deleted: true }),
    accessOf(context, 'insight'),
  ]);
  // a deleted dashboard is not there, except for who brings it back
  if (found.dashboard.deleted && !(await requestsRestore(context.request))) throw new ApiError('not_found');
  requireEditable(context, found);
  return { ...found, insights };
}
