import { z } from 'zod';
import { type Access, accessOf, requireResourceLevel } from '../../access/index.js';
import { createZone } from '../../analytics/index.js';
import { type ProjectContext, projectRoute, projectUpdateRoutes } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { envelope, readPage } from '../../http/pagination.js';
import { isTruthyParameter } from '../../http/validate.js';
import { viewedSchema } from '../../http/viewed.js';
import { createResultLoader, disconnectSignal, freshnessOf, queryAccessOf } from '../results/index.js';
import type { InsightRow } from '../tiles/index.js';
import { findEditable, findVisible } from './access.js';
import { filterOf, type ListQuery, listQuery } from './list-query.js';
import { fieldsSchema, insightItemSchema, insightPage, insightParams, insightSchema, retrieveQuery } from './schema.js';
import { copyOf, createInsight, patchInsight, readResult } from './service.js';
import { lastViewed, listInsights, stampView } from './store.js';
import { basicInsightView, insightView } from './view.js';

/** Number of insights in `my_last_viewed`. */
const LAST_VIEWED = 5;

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const insightRoutes = [
  projectRoute({
    method: 'GET',
    path: '/insights/',
    scope: 'insight:read',
    summary: 'List insights, last changed first',
    query: listQuery,
    status: 200,
    response: insightPage,
    handle: list,
  }),
  projectRoute({
    method: 'POST',
    path: '/insights/',
    scope: 'insight:write',
    summary: 'Create an insight',
    body: fieldsSchema,
    status: 201,
    response: insightSchema,
    load: requireResourceLevel('insight', 'editor'),
    handle: async ({ body, loaded: access, ...context }) => viewWithResult(context, access, await createInsight(context, body)),
  }),
  projectRoute({
    method: 'GET',
    path: '/insights/my_last_viewed/',
    scope: 'insight:read',
    summary: 'List the five insights that you viewed last',
    status: 200,
    response: z.array(insightItemSchema),
    handle: async (context) => {
      const { deps, project, principal } = context;
      const access = await accessOf(context, 'insight');
      access.requireResource('viewer');
      const reader = { userId: principal.userId, hidden: access.hiddenIds };
      const rows = await lastViewed(deps.db, project.id, reader, LAST_VIEWED);
      return rows.map((row) => basicInsightView(access, row));
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/insights/:id/',
    params: insightParams,
    scope: 'insight:read',
    summary: 'Retrieve an insight by its number or short id, with its result',
    query: retrieveQuery,
    status: 200,
    response: insightSchema,
    load: findVisible,
    handle: async ({ loaded: { row, access }, query, ...context }) => {
      const { fields, figures, effective_query } = await readResult(context, row, query);
      // without a result there is nothing to explain
      return { ...insightView(context, access, row, fields), ...(figures && { ...figures, effective_query }) };
    },
  }),
  ...projectUpdateRoutes({
    path: '/insights/:id/',
    params: insightParams,
    scope: 'insight:write',
    summary: {
      PATCH: 'Change, delete (`deleted: true`) or restore (`deleted: false`) an insight',
      PUT: 'Change an insight; fields that are left out stay',
    },
    body: fieldsSchema,
    status: 200,
    response: insightSchema,
    load: findEditable,
    handle: async ({ body, loaded, ...context }) =>
      viewWithResult(context, loaded.access, await patchInsight(context, loaded, body)),
  }),
  projectRoute({
    method: 'POST',
    path: '/insights/:id/duplicate/',
    params: insightParams,
    scope: 'insight:write',
    summary: 'Copy an insight; the copy is on no dashboard',
    status: 201,
    response: insightSchema,
    load: async (context) => {
      const found = await findVisible(context);
      found.access.requireResource('editor');
      return found;
    },
    handle: async ({ loaded: { row, access }, ...context }) =>
      viewWithResult(context, access, await createInsight(context, copyOf(row))),
  }),
  projectRoute({
    method: 'POST',
    path: '/insights/:id/viewed/',
    params: insightParams,
    scope: 'insight:read',
    summary: 'Record that you viewed an insight, for the list of those that you viewed last',
    status: 201,
    response: viewedSchema,
    load: findVisible,
    handle: async ({ deps, project, principal, loaded: { row } }) => {
      const now = new Date(deps.clock.now());
      await stampView(deps.db, project.id, row.id, principal.userId, now);
      return { id: row.id, last_viewed_at: isoTime(now) };
    },
  }),
];

/** The view of an insight after a change, with its result if that is cached. */
const viewWithResult = async (context: ProjectContext, access: Access, row: InsightRow) =>
  insightView(context, access, row, (await readResult(context, row, {})).fields);

async function list({ query, ...context }: ProjectContext & { query: ListQuery }) {
  const { deps, request, project, principal } = context;
  const access = await accessOf(context, 'insight');
  access.requireResource('viewer');
  const page = readPage(request);
  const filter = filterOf(query, principal.userId, { now: deps.clock.now(), zone: createZone(project.timezone) });
  const reader = { userId: principal.userId, hidden: access.hiddenIds };
  const { count, insights } = await listInsights(deps.db, project.id, reader, filter, query.order, page);
  if (isTruthyParameter(query.basic)) {
    return envelope(
      request,
      page,
      count,
      insights.map((row) => basicInsightView(access, row)),
    );
  }
  const results = createResultLoader(
    deps,
    project,
    queryAccessOf(context),
    freshnessOf(query),
    disconnectSignal(context.reply.raw),
  );
  const views = insights.map(async (row) => insightView(context, access, row, (await results.load(row.query)).fields));
  return envelope(request, page, count, await Promise.all(views));
}
