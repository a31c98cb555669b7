import { z } from 'zod';
import { accessOf } from '../../access/index.js';
import { type ProjectContext, projectRoute } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import { envelope, readPage } from '../../http/pagination.js';
import { changeFlag, createFlag } from './change.js';
import { type FoundFlag, findEditable, findFlag } from './find-flag.js';
import { filterOf, type ListQuery, listQuery, orderOf } from './list-query.js';
import { flagPage, flagSchema } from './response.js';
import { createSchema, type UpdateFields, updateSchema } from './schema.js';
import { listFlags } from './store.js';
import { flagView } from './view.js';

/** The parameter of paths to one flag. */
export const flagParams = { id: z.string().describe('Number or key of the flag.') };

const update = {
  path: '/feature_flags/:id/',
  params: flagParams,
  scope: 'feature_flag:write',
  body: updateSchema,
  status: 200,
  response: flagSchema,
  errors: [403, 409],
  load: findEditable,
} as const;

/** Below `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const flagRoutes = [
  projectRoute({
    method: 'GET',
    path: '/feature_flags/',
    scope: 'feature_flag:read',
    summary: 'List feature flags, newest first',
    query: listQuery,
    status: 200,
    response: flagPage,
    handle: list,
  }),
  projectRoute({
    method: 'POST',
    path: '/feature_flags/',
    scope: 'feature_flag:write',
    summary: 'Create a feature flag',
    body: createSchema,
    status: 201,
    response: flagSchema,
    load: async (context) => {
      const access = await accessOf(context, 'feature_flag');
      access.requireResource('editor');
      return access;
    },
    handle: async ({ body, loaded: access, ...context }) => {
      const { deps } = context;
      const row = await inTransaction(deps.db, (tx) => createFlag(tx, context, body));
      return flagView(access, deps.clock.now(), row);
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/feature_flags/:id/',
    params: flagParams,
    scope: 'feature_flag:read',
    summary: 'Retrieve a feature flag by its number or key',
    status: 200,
    response: flagSchema,
    load: findFlag,
    handle: async ({ deps, loaded: { row, access } }) => flagView(access, deps.clock.now(), row),
  }),
  projectRoute({
    ...update,
    method: 'PATCH',
    summary: 'Change, delete (`deleted: true`) or restore (`deleted: false`) a feature flag',
    handle: ({ body, loaded, ...context }) => patch(context, loaded, body),
  }),
  projectRoute({
    ...update,
    method: 'PUT',
    summary: 'Change a feature flag; fields that are left out stay',
    handle: ({ body, loaded, ...context }) => patch(context, loaded, body),
  }),
];

async function patch(context: ProjectContext, { row: { id }, access }: FoundFlag, fields: UpdateFields) {
  const { deps } = context;
  const row = await inTransaction(deps.db, (tx) =>
    changeFlag(tx, context, id, fields, (found) => access.requireOn(found, 'editor')),
  );
  return flagView(access, deps.clock.now(), row);
}

async function list({ query, ...context }: ProjectContext & { query: ListQuery }) {
  const { deps, request, project, principal } = context;
  const access = await accessOf(context, 'feature_flag');
  access.requireResource('viewer');
  const page = readPage(request);
  const now = deps.clock.now();
  const reader = { userId: principal.userId, hidden: access.hiddenIds };
  const { count, flags } = await listFlags(deps.db, project.id, reader, filterOf(query, now), { ...page, order: orderOf(query) });
  return envelope(
    request,
    page,
    count,
    flags.map((row) => flagView(access, now, row)),
  );
}
