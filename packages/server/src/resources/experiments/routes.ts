import { accessOf } from '../../access/index.js';
import { type ProjectContext, projectRoute } from '../../auth/index.js';
import { envelope, readPage } from '../../http/pagination.js';
import { createExperiment } from './create.js';
import { findExperiment, findForChange } from './find-experiment.js';
import { experimentPage, experimentSchema } from './response.js';
import { createSchema, experimentParams, type ListQuery, listQuery, updateSchema } from './schema.js';
import { listExperiments } from './store.js';
import { patchExperiment } from './update.js';
import { experimentView, experimentViews } from './view.js';

/** Below `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const experimentRoutes = [
  projectRoute({
    method: 'GET',
    path: '/experiments/',
    scope: 'experiment:read',
    summary: 'List experiments, newest first',
    query: listQuery,
    status: 200,
    response: experimentPage,
    handle: list,
  }),
  projectRoute({
    method: 'POST',
    path: '/experiments/',
    scope: 'experiment:write',
    summary: 'Create an experiment on a flag with variants, or with a new flag',
    description:
      'A new flag has the variants of `parameters.feature_flag_variants`, else `control` and `test`, and is off until the start.',
    body: createSchema,
    status: 201,
    response: experimentSchema,
    load: async (context) => {
      const access = await accessOf(context, 'experiment');
      access.requireResource('editor');
      return access;
    },
    handle: async ({ body, loaded: access, ...context }) =>
      experimentView(context, access, await createExperiment(context, body)),
  }),
  projectRoute({
    method: 'GET',
    path: '/experiments/:id/',
    params: experimentParams,
    scope: 'experiment:read',
    summary: 'Retrieve an experiment',
    status: 200,
    response: experimentSchema,
    load: findExperiment,
    handle: async ({ loaded: { row, access }, ...context }) => experimentView(context, access, row),
  }),
  ...(['PATCH', 'PUT'] as const).map((method) =>
    projectRoute({
      method,
      path: '/experiments/:id/',
      params: experimentParams,
      scope: 'experiment:write',
      summary:
        method === 'PUT'
          ? 'Change an experiment; fields that are left out stay'
          : 'Change, archive, delete (`deleted: true`) or restore (`deleted: false`) an experiment',
      body: updateSchema,
      status: 200,
      response: experimentSchema,
      load: findForChange,
      handle: async ({ body, loaded: { row, access }, ...context }) =>
        experimentView(context, access, await patchExperiment(context, row.id, body)),
    }),
  ),
];

async function list({ query, ...context }: ProjectContext & { query: ListQuery }) {
  const { deps, request, project, principal } = context;
  const access = await accessOf(context, 'experiment');
  access.requireResource('viewer');
  const page = readPage(request);
  const reader = { userId: principal.userId, hidden: access.hiddenIds };
  const { status, archived, created_by_id: createdBy, ...rest } = query;
  const filter = {
    ...rest,
    status: status || undefined,
    archived: archived === '' ? undefined : archived,
    created_by: createdBy,
  };
  const { count, rows } = await listExperiments(deps.db, project.id, reader, filter, page);
  return envelope(request, page, count, await experimentViews(context, access, rows));
}
