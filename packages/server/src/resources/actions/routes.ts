import { accessOf, requireResourceLevel } from '../../access/index.js';
import { type ProjectContext, projectRoute, projectUpdateRoutes } from '../../auth/index.js';
import { envelope, readPage } from '../../http/pagination.js';
import { actionViews, createAction, findEditable, findVisible, patchAction } from './actions.js';
import { actionPage, actionParams, actionSchema, fieldsSchema, listQuery } from './schema.js';
import { listActions } from './store.js';

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const actionRoutes = [
  projectRoute({
    method: 'GET',
    path: '/actions/',
    scope: 'action:read',
    summary: 'List actions: pinned ones first, then by name',
    query: listQuery,
    status: 200,
    response: actionPage,
    handle: async ({ query, ...context }) => list(context, query.search || undefined),
  }),
  projectRoute({
    method: 'POST',
    path: '/actions/',
    scope: 'action:write',
    summary: 'Create an action',
    body: fieldsSchema,
    status: 201,
    response: actionSchema,
    load: requireResourceLevel('action', 'editor'),
    handle: async ({ body, loaded: access, ...context }) =>
      (await actionViews(context, access, [await createAction(context, body)]))[0],
  }),
  projectRoute({
    method: 'GET',
    path: '/actions/:id/',
    params: actionParams,
    scope: 'action:read',
    summary: 'Retrieve an action',
    status: 200,
    response: actionSchema,
    load: findVisible,
    handle: async ({ loaded: { row, access }, ...context }) => (await actionViews(context, access, [row]))[0],
  }),
  ...projectUpdateRoutes({
    path: '/actions/:id/',
    params: actionParams,
    scope: 'action:write',
    summary: {
      PATCH: 'Change, delete (`deleted: true`) or restore (`deleted: false`) an action',
      PUT: 'Change an action; fields that are left out stay',
    },
    body: fieldsSchema,
    status: 200,
    response: actionSchema,
    load: findEditable,
    handle: async ({ body, loaded: { row, access }, ...context }) =>
      (await actionViews(context, access, [await patchAction(context, row.id, body)]))[0],
  }),
  projectRoute({
    method: 'DELETE',
    path: '/actions/:id/',
    params: actionParams,
    scope: 'action:write',
    summary: 'Refuse to delete: actions are deleted by a change',
    status: 405,
    handle: async ({ reply }) => reply.code(405).send(),
  }),
];

async function list(context: ProjectContext, search: string | undefined) {
  const { deps, request, project, principal } = context;
  const access = await accessOf(context, 'action');
  access.requireResource('viewer');
  const page = readPage(request);
  const reader = { userId: principal.userId, hidden: access.hiddenIds };
  const { count, rows } = await listActions(deps.db, project.id, reader, search, page);
  return envelope(request, page, count, await actionViews(context, access, rows));
}
