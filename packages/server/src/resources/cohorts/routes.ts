import { accessOf } from '../../access/index.js';
import { type ProjectContext, projectRoute } from '../../auth/index.js';
import { envelope, readPage } from '../../http/pagination.js';
import { ApiError } from '../../kernel/errors.js';
import { createCohort, patchCohort } from './change.js';
import { findCohort, findEditable } from './find-cohort.js';
import { cohortPage, cohortSchema } from './response.js';
import { cohortParams, fieldsSchema, listQuery } from './schema.js';
import { listCohorts } from './store.js';
import { cohortViews } from './view.js';

const update = {
  path: '/cohorts/:id/',
  params: cohortParams,
  scope: 'cohort:write',
  body: fieldsSchema,
  status: 200,
  response: cohortSchema,
  load: findEditable,
} as const;

/** Below `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const cohortRoutes = [
  projectRoute({
    method: 'GET',
    path: '/cohorts/',
    scope: 'cohort:read',
    summary: 'List cohorts, newest first',
    query: listQuery,
    status: 200,
    response: cohortPage,
    handle: async ({ query, ...context }) => list(context, query.search || undefined, query.type || undefined),
  }),
  projectRoute({
    method: 'POST',
    path: '/cohorts/',
    scope: 'cohort:write',
    summary: 'Create a cohort',
    description: 'Its people are counted before the answer, for five seconds at most.',
    body: fieldsSchema,
    status: 201,
    response: cohortSchema,
    load: async (context) => {
      const access = await accessOf(context, 'cohort');
      access.requireResource('editor');
      return access;
    },
    handle: async ({ body, loaded: access, ...context }) =>
      (await cohortViews(context.deps.db, access, [await createCohort(context, body)]))[0],
  }),
  projectRoute({
    method: 'GET',
    path: '/cohorts/:id/',
    params: cohortParams,
    scope: 'cohort:read',
    summary: 'Retrieve a cohort',
    status: 200,
    response: cohortSchema,
    load: findCohort,
    handle: async ({ deps, loaded: { row, access } }) => (await cohortViews(deps.db, access, [row]))[0],
  }),
  ...(['PATCH', 'PUT'] as const).map((method) =>
    projectRoute({
      ...update,
      method,
      summary:
        method === 'PUT'
          ? 'Change a cohort; fields that are left out stay'
          : 'Change, delete (`deleted: true`) or restore (`deleted: false`) a cohort',
      handle: async ({ body, loaded: { row, access }, ...context }) =>
        (await cohortViews(context.deps.db, access, [await patchCohort(context, row.id, body)]))[0],
    }),
  ),
];

async function list(context: ProjectContext, search: string | undefined, type: string | undefined) {
  const { deps, request, project, principal } = context;
  if (type !== undefined && type !== 'static' && type !== 'dynamic') {
    throw new ApiError('invalid_choice', `"${type}" is not a valid choice.`, 'type');
  }
  const access = await accessOf(context, 'cohort');
  access.requireResource('viewer');
  const page = readPage(request);
  const reader = { userId: principal.userId, hidden: access.hiddenIds };
  const filter = { search, isStatic: type === undefined ? undefined : type === 'static' };
  const { count, rows } = await listCohorts(deps.db, project.id, reader, filter, page);
  return envelope(request, page, count, await cohortViews(deps.db, access, rows));
}
