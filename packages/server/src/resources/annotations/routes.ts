import { requireResourceLevel } from '../../access/index.js';
import { type ProjectContext, projectRoute } from '../../auth/index.js';
import { objectId } from '../../http/ids.js';
import { envelope, readPage } from '../../http/pagination.js';
import { ApiError } from '../../kernel/errors.js';
import { createAnnotation, patchAnnotation } from './change.js';
import { annotationPage, annotationParams, annotationSchema, fieldsSchema, listQuery } from './schema.js';
import { isVisible, type Sights, sightsOf } from './sight.js';
import { type AnnotationRow, listAnnotations, readAnnotation } from './store.js';
import { annotationView } from './view.js';

const update = {
  path: '/annotations/:id/',
  params: annotationParams,
  scope: 'annotation:write',
  body: fieldsSchema,
  status: 200,
  response: annotationSchema,
  load: find('editor'),
} as const;

/** Below `/api/projects/:project_id` and `/api/environments/:project_id`. */
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
      const sights = await sightsOf(context);
      const { search, scope, dashboard_item: insightId, dashboard_id: dashboardId } = query;
      const { insights, dashboards } = sights;
      const filter = {
        userId: principal.userId,
        insights,
        dashboards,
        search: search || undefined,
        scope,
        insightId,
        dashboardId,
      };
      const { count, rows } = await listAnnotations(deps.db, project.id, filter, page);
      return envelope(
        request,
        page,
        count,
        rows.map((row) => annotationView(row, sights)),
      );
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
    handle: async ({ body, ...context }) => annotationView(await createAnnotation(context, body), await sightsOf(context)),
  }),
  projectRoute({
    method: 'GET',
    path: '/annotations/:id/',
    params: annotationParams,
    scope: 'annotation:read',
    summary: 'Retrieve an annotation',
    status: 200,
    response: annotationSchema,
    load: find('viewer'),
    handle: async ({ loaded: { row, sights } }) => {
      if (row.deleted) throw new ApiError('not_found');
      return annotationView(row, sights);
    },
  }),
  ...(['PATCH', 'PUT'] as const).map((method) =>
    projectRoute({
      ...update,
      method,
      summary:
        method === 'PUT'
          ? 'Change an annotation; fields that are left out stay'
          : 'Change, delete (`deleted: true`) or restore (`deleted: false`) an annotation',
      handle: async ({ body, loaded: { row, sights }, ...context }) =>
        annotationView(await patchAnnotation(context, row, body, sights), sights),
    }),
  ),
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

/** An annotation that the caller may see, and what they may see of what it is about. */
interface Found {
  row: AnnotationRow;
  sights: Sights;
}

/**
 * Finds the annotation of the path, deleted or not, for a caller with this level who may see what it is about.
 * @throws ApiError permission_denied, not_found
 */
function find(level: 'viewer' | 'editor') {
  return async (context: ProjectContext & { params: Record<string, string> }): Promise<Found> => {
    await requireResourceLevel('annotation', level)(context);
    const id = objectId(context.params['id']);
    const row = id === null ? null : await readAnnotation(context.deps.db, context.project.id, id);
    const sights = await sightsOf(context);
    if (!row || !isVisible(row, sights)) throw new ApiError('not_found');
    return { row, sights };
  };
}
