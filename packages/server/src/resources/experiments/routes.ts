import { accessOf, requireResourceLevel } from '../../access/index.js';
import { type ProjectContext, projectRoute, projectUpdateRoutes } from '../../auth/index.js';
import { envelope, readPage } from '../../http/pagination.js';
import { findForUpdate, findVisible } from './access.js';
import { createExperiment } from './create.js';
import {
  createSchema,
  experimentPage,
  experimentParams,
  experimentSchema,
  type ListQuery,
  listQuery,
  updateSchema,
} from './schema.js';
import { listExperiments } from './store.js';
import { patchExperiment } from './update.js';
import { experimentView, experimentViews } from './view.js';

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
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
      'A new flag has the variants of `parameters.feature_flag_variants`, or `control` and `test`, and is off until the start.',
    body: createSchema,
    status: 201,
    response: experimentSchema,
    load: requireResourceLevel('experiment', 'editor'),
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
    load: findVisible,
    handle: async ({ loaded: { row, access }, ...context }) => experimentView(context, access, row),
  }),
  ...projectUpdateRoutes({
    path: '/experiments/:id/',
    params: experimentParams,
    scope: 'experiment:write',
    summary: {
      PATCH: 'Change, archive, delete (`deleted: true`) or restore (`deleted: false`) an experiment',
      PUT: 'Change an experiment; fields that are left out stay',
    },
    body: updateSchema,
    status: 200,
    response: experimentSchema,
    load: findForUpdate,
    handle: async ({ body, loaded: { row, access }, ...context }) =>
      experimentView(context, access, await patchExperiment(context, row.id, body)),
  }),
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
