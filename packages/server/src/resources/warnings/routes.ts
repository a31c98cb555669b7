import { projectRoute } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { envelope, readPage } from '../../http/pagination.js';
import { warningPage } from './schema.js';
import { listWarnings } from './store.js';

export const warningRoutes = [
  projectRoute({
    method: 'GET',
    path: '/ingestion_warnings/',
    scope: 'project:read',
    summary: 'List what went wrong with events that the project was sent',
    status: 200,
    response: warningPage,
    handle: async ({ deps, request, project }) => {
      const page = readPage(request);
      const { rows, count } = await listWarnings(deps.db, project.id, page);
      const results = rows.map(({ id, type, details, created_at }) => ({ id, type, details, timestamp: isoTime(created_at) }));
      return envelope(request, page, count, results);
    },
  }),
];
