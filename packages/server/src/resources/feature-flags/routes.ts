import { z } from 'zod';
import { accessOf, requireResourceLevel } from '../../access/index.js';
import { type ProjectContext, projectRoute, projectUpdateRoutes } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { inTransaction } from '../../http/in-transaction.js';
import { envelope, readPage } from '../../http/pagination.js';
import { viewedSchema } from '../../http/viewed.js';
import type { Db } from '../../ports/db.js';
import { type FoundFlag, findEditable, findVisible } from './access.js';
import { dependentsOf, readReferences } from './dependencies.js';
import { filterOf, type ListQuery, listFlags, listQuery } from './list.js';
import {
  createSchema,
  flagNameSchema,
  flagPage,
  flagParams,
  flagSchema,
  statusSchema,
  type UpdateFields,
  updateSchema,
} from './schema.js';
import { changeFlag, createFlag } from './service.js';
import { statusOf } from './status.js';
import { readNames, stampView } from './store.js';
import { flagView } from './view.js';

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
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
    load: requireResourceLevel('feature_flag', 'editor'),
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
    load: findVisible,
    handle: async ({ deps, loaded: { row, access } }) => flagView(access, deps.clock.now(), row),
  }),
  ...projectUpdateRoutes({
    path: '/feature_flags/:id/',
    params: flagParams,
    scope: 'feature_flag:write',
    summary: {
      PATCH: 'Change, delete (`deleted: true`) or restore (`deleted: false`) a feature flag',
      PUT: 'Change a feature flag; fields that are left out stay',
    },
    body: updateSchema,
    status: 200,
    response: flagSchema,
    errors: [403, 409],
    load: findEditable,
    handle: ({ body, loaded, ...context }) => patch(context, loaded, body),
  }),
  projectRoute({
    method: 'POST',
    path: '/feature_flags/:id/viewed/',
    params: flagParams,
    scope: 'feature_flag:read',
    summary: 'Record that you viewed a feature flag, for the list of what you viewed last',
    status: 201,
    response: viewedSchema,
    load: findVisible,
    handle: async ({ deps, project, principal, loaded: { row } }) => {
      const now = new Date(deps.clock.now());
      await stampView(deps.db, project.id, row.id, principal.userId, now);
      return { id: row.id, last_viewed_at: isoTime(now) };
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/feature_flags/:id/status/',
    params: flagParams,
    scope: 'feature_flag:read',
    summary: 'Retrieve whether a feature flag is in use, with the reason',
    status: 200,
    response: statusSchema,
    load: findVisible,
    handle: async ({ deps, loaded: { row } }) => statusOf(row, deps.clock.now()),
  }),
  projectRoute({
    method: 'GET',
    path: '/feature_flags/:id/dependent_flags/',
    params: flagParams,
    scope: 'feature_flag:read',
    summary: 'List the feature flags whose conditions depend on this one',
    status: 200,
    response: z.array(flagNameSchema),
    load: findVisible,
    handle: async ({ deps, project, loaded }) => listDependents(deps.db, project.id, loaded),
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
  const { count, rows } = await listFlags(deps.db, project.id, reader, filterOf(query, now), query.order, page);
  return envelope(
    request,
    page,
    count,
    rows.map((row) => flagView(access, now, row)),
  );
}

async function listDependents(db: Db, projectId: number, { row, access }: FoundFlag) {
  const { flags } = await readReferences(db, projectId);
  const dependents = await readNames(
    db,
    projectId,
    dependentsOf(row, flags).map(({ id }) => id),
  );
  return dependents
    .filter((flag) => access.levelOn(flag) !== 'none')
    .map(({ id, key, name, active }) => ({ id, key, name, active }));
}
