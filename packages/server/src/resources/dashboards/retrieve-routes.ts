import { projectRoute } from '../../auth/index.js';
import { retrieveQuery } from './query-schema.js';
import { dashboardParams, dashboardSchema } from './response-schema.js';
import { retrieveDashboard } from './retrieve.js';

export const retrieveRoutes = [
  projectRoute({
    method: 'GET',
    path: '/dashboards/:id/',
    scope: 'dashboard:read',
    summary: 'Retrieve a dashboard with its tiles',
    params: dashboardParams,
    query: retrieveQuery,
    status: 200,
    response: dashboardSchema,
    errors: [403],
    // who asks for results to be computed does not ask for those of before
    cacheable: ({ refresh = 'force_cache' }) => refresh === 'force_cache',
    handle: (context) => retrieveDashboard(context, context.params['id'] ?? '', context.query),
  }),
];
