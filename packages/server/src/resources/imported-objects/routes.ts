import { requireResourceLevel } from '../../access/index.js';
import { projectRoute } from '../../auth/index.js';
import { envelope, readPage } from '../../http/pagination.js';
import { importedObjectPage, listQuery, rememberResponse, rememberSchema } from './schema.js';
import { listImportedObjects, noteImportedObjects } from './store.js';

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const importedObjectRoutes = [
  projectRoute({
    method: 'GET',
    path: '/imported_objects/',
    scope: 'project:read',
    summary: 'List which objects of another project became which ones of this project',
    query: listQuery,
    status: 200,
    response: importedObjectPage,
    load: requireResourceLevel('project_settings', 'viewer'),
    handle: async ({ query, deps, request, project }) => {
      const page = readPage(request);
      const { count, rows } = await listImportedObjects(deps.db, project.id, query.source, query.kind, page);
      return envelope(request, page, count, rows);
    },
  }),
  projectRoute({
    method: 'POST',
    path: '/imported_objects/',
    scope: 'project:write',
    summary: 'Note which objects of another project became which ones of this project',
    description: 'For imports: one that runs again finds its objects, whatever people have changed about them.',
    body: rememberSchema,
    status: 200,
    response: rememberResponse,
    load: requireResourceLevel('project_settings', 'editor'),
    handle: async ({ body, deps, project }) => {
      await noteImportedObjects(deps.db, project.id, body.source, body.objects, new Date(deps.clock.now()));
      return { count: body.objects.length };
    },
  }),
];
