import { requireKind } from '../../access/index.js';
import { isoTime } from '../../http/dates.js';
import { objectId } from '../../http/object-id.js';
import { envelope, readPage } from '../../http/pagination.js';
import { type ProjectContext, projectRoute } from '../../identity/index.js';
import { ApiError } from '../../kernel/errors.js';
import { createAnnotation, patchAnnotation } from './change.js';
import { annotationPage, annotationParams, annotationSchema, fieldsSchema, listQuery } from './schema.js';
import { type AnnotationRow, listAnnotations, readAnnotation } from './store.js';

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
    load: requireKind('annotation', 'viewer'),
    handle: async ({ deps, request, project, query }) => {
      const page = readPage(request);
      const { count, rows } = await listAnnotations(deps.db, project.id, query.search || undefined, page);
      return envelope(request, page, count, rows.map(annotationView));
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
    load: requireKind('annotation', 'editor'),
    handle: async ({ body, ...context }) => annotationView(await createAnnotation(context, body)),
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
    handle: async ({ loaded }) => {
      if (loaded.deleted) throw new ApiError('not_found');
      return annotationView(loaded);
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
      handle: async ({ body, loaded, ...context }) => annotationView(await patchAnnotation(context, loaded.id, body)),
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

/** Finds the annotation of the path, deleted or not, for a caller with this level. @throws ApiError permission_denied, not_found */
function find(level: 'viewer' | 'editor') {
  return async (context: ProjectContext & { params: Record<string, string> }): Promise<AnnotationRow> => {
    await requireKind('annotation', level)(context);
    const id = objectId(context.params['id']);
    const row = id === null ? null : await readAnnotation(context.deps.db, context.project.id, id);
    if (!row) throw new ApiError('not_found');
    return row;
  };
}

const annotationView = ({ author, date_marker, created_at, updated_at, ...row }: AnnotationRow) => ({
  ...row,
  date_marker: isoTime(date_marker),
  scope: 'project' as const,
  dashboard_item: null,
  dashboard_id: null,
  created_by: author,
  created_at: isoTime(created_at),
  updated_at: isoTime(updated_at),
});
