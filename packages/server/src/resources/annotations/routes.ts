import { requireResourceLevel } from '../../access/index.js';
import { projectRoute, projectUpdateRoutes } from '../../auth/index.js';
import { envelope, readPage } from '../../http/pagination.js';
import { ApiError } from '../../kernel/errors.js';
import { annotationView, createAnnotation, findFor, patchAnnotation, subjectAccessOf } from './annotations.js';
import { annotationPage, annotationParams, annotationSchema, fieldsSchema, listQuery } from './schema.js';
import { listAnnotations } from './store.js';

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const annotationRoutes = [
  projectRoute({
    method: 'GET',
    path: '/annotations/',
    scope: 'annotation:read',
    summary: 'List annotations, the latest moment first',
    query: listQuery,
    status: 200,
    response: annotationPage,
    load: requireResourceLevel('annotation', 'viewer'),
    handle: async ({ query, ...context }) => {
      const { deps, request, project, principal } = context;
      const page = readPage(request);
      const subjects = await subjectAccessOf(context);
      const { search, scope, dashboard_item: insightId, dashboard_id: dashboardId } = query;
      const { insights, dashboards } = subjects;
      const filters = { search: search || undefined, scope, insightId, dashboardId };
      const filter = { userId: principal.userId, insights, dashboards, ...filters };
      const { count, rows } = await listAnnotations(deps.db, project.id, filter, page);
      const views = rows.map((row) => annotationView(row, subjects));
      return envelope(request, page, count, views);
    },
  }),
  projectRoute({
    method: 'POST',
    path: '/annotations/',
    scope: 'annotation:write',
    summary: 'Create an annotation',
    body: fieldsSchema,
    status: 201,
    response: annotationSchema,
    load: requireResourceLevel('annotation', 'editor'),
    handle: async ({ body, ...context }) => annotationView(await createAnnotation(context, body), await subjectAccessOf(context)),
  }),
  projectRoute({
    method: 'GET',
    path: '/annotations/:id/',
    params: annotationParams,
    scope: 'annotation:read',
    summary: 'Retrieve an annotation',
    status: 200,
    response: annotationSchema,
    load: findFor('viewer'),
    handle: async ({ loaded: { row, subjects } }) => {
      if (row.deleted) throw new ApiError('not_found');
      return annotationView(row, subjects);
    },
  }),
  ...projectUpdateRoutes({
    path: '/annotations/:id/',
    params: annotationParams,
    scope: 'annotation:write',
    summary: {
      PATCH: 'Change, delete (`deleted: true`) or restore (`deleted: false`) an annotation',
      PUT: 'Change an annotation; fields that are left out stay',
    },
    body: fieldsSchema,
    status: 200,
    response: annotationSchema,
    load: findFor('editor'),
    handle: async ({ body, loaded: { row, subjects }, ...context }) =>
      annotationView(await patchAnnotation(context, row, body, subjects), subjects),
  }),
  projectRoute({
    method: 'DELETE',
    path: '/annotations/:id/',
    params: annotationParams,
    scope: 'annotation:write',
    summary: 'Refuse to delete: annotations are deleted by a change',
    status: 405,
    handle: async ({ reply }) => reply.code(405).send(),
  }),
];
