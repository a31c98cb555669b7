import { accessOf, requireResourceLevel, sightOf } from '../../access/index.js';
import { projectRoute } from '../../auth/index.js';
import { envelope, pageOf, readPage } from '../../http/pagination.js';
import { hiddenProfiles, queryAccessOf } from '../results/index.js';
import { createExport } from './create.js';
import { exportView, findExport, sendContent } from './retrieve.js';
import { bodySchema, contentQuery, exportParams, exportSchema, listQuery } from './schema.js';
import { listExports } from './store.js';

/** `exports/` below a project. `wake` starts the worker: a new job is in the queue. */
export const exportRoutes = (wake: () => void) => [
  projectRoute({
    method: 'GET',
    path: '/exports/',
    scope: 'export:read',
    summary: 'List your own exports, newest first',
    query: listQuery,
    status: 200,
    response: pageOf(exportSchema),
    load: requireResourceLevel('export', 'viewer'),
    handle: async ({ request, query, ...context }) => {
      const { deps, project, principal } = context;
      const [dashboards, insights, experiments, profiles] = await Promise.all([
        accessOf({ ...context }, 'dashboard'),
        accessOf({ ...context }, 'insight'),
        accessOf({ ...context }, 'experiment'),
        hiddenProfiles(queryAccessOf({ ...context })),
      ]);
      const { userId } = principal;
      const filter = {
        userId,
        now: new Date(deps.clock.now()),
        format: query.export_format || null,
        path: query.context_path || null,
        dashboards: sightOf(dashboards, userId),
        insights: sightOf(insights, userId),
        experiments: sightOf(experiments, userId),
        hiddenProfiles: [...profiles],
      };
      const page = readPage(request);
      const { count, rows } = await listExports(deps.db, project.id, filter, page);
      return envelope(request, page, count, rows.map(exportView));
    },
  }),
  projectRoute({
    method: 'POST',
    path: '/exports/',
    scope: 'export:write',
    summary: 'Ask for an export of a dashboard, an insight, a query or a path of this API',
    description:
      'Answers at once. The file is made in the background: retrieve the export until `has_content` is `true`, or `exception` says why there will be none.',
    body: bodySchema,
    status: 201,
    response: exportSchema,
    load: requireResourceLevel('export', 'editor'),
    handle: async ({ body, ...context }) => {
      const row = await createExport(context, body);
      wake();
      return exportView(row);
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/exports/:id/',
    params: exportParams,
    scope: 'export:read',
    summary: 'Retrieve an export',
    status: 200,
    response: exportSchema,
    load: findExport,
    handle: async ({ loaded }) => exportView(loaded),
  }),
  projectRoute({
    method: 'GET',
    path: '/exports/:id/content/',
    params: exportParams,
    query: contentQuery,
    scope: 'export:read',
    summary: 'Download the file of an export',
    status: 200,
    mediaType: '*/*',
    errors: [425],
    load: findExport,
    handle: ({ loaded, query, ...context }) => sendContent(context, loaded, query.download),
  }),
];
