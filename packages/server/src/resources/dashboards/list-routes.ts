import { accessOf } from '../../access/index.js';
import { projectRoute } from '../../auth/index.js';
import { JsonText } from '../../http/json-text.js';
import { envelope, readPage } from '../../http/pagination.js';
import { listDashboards } from './list-store.js';
import { listQuery } from './query-schema.js';
import { dashboardPage } from './response-schema.js';
import { itemJson } from './view.js';

export const listRoutes = [
  projectRoute({
    method: 'GET',
    path: '/dashboards/',
    scope: 'dashboard:read',
    summary: 'List dashboards',
    description: 'Pinned ones first, then by name. Deleted ones, and those that the access rules hide from you, are left out.',
    query: listQuery,
    status: 200,
    response: dashboardPage,
    errors: [403],
    cacheable: () => true,
    handle: async (context) => {
      const { deps, request, project, principal, query } = context;
      const access = await accessOf(context, 'dashboard');
      access.requireResource('viewer');
      const page = readPage(request);
      const filter = { ...query, hidden: access.hiddenIds };
      const { count, rows } = await listDashboards(deps.db, project.id, principal.userId, filter, page);
      const { results, ...head } = envelope(request, page, count, rows);
      const items = results.map((row) => itemJson(context, access, row));
      return new JsonText(`${JSON.stringify(head).slice(0, -1)},"results":[${items.join()}]}`);
    },
  }),
];
