import { type Access, accessOf, type ItemContext, requireResourceLevel } from '../../access/index.js';
import { type ProjectContext, projectRoute, projectUpdateRoutes } from '../../auth/index.js';
import { readBody } from '../../http/body.js';
import { isoTime } from '../../http/dates.js';
import { envelope, readPage } from '../../http/pagination.js';
import { viewedSchema } from '../../http/viewed.js';
import { isObject } from '../../kernel/json.js';
import { readTemplate } from '../templates/index.js';
import { findEditable, findVisible, requireEditable } from './access.js';
import { createDashboard, findOrigin, fromTemplate, type Origin } from './create.js';
import { retrieveDashboard, showDashboard, streamDashboard } from './retrieve.js';
import {
  type CreateFields,
  createSchema,
  dashboardPage,
  dashboardParams,
  dashboardSchema,
  fromTemplateSchema,
  listQuery,
  moveSchema,
  patchSchema,
  retrieveQuery,
} from './schema.js';
import { listDashboards, stampView } from './store.js';
import { patchDashboard } from './update.js';
import { moveToDashboard } from './update-tiles.js';
import { dashboardView, itemView } from './view.js';

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const dashboardRoutes = [
  projectRoute({
    method: 'GET',
    path: '/dashboards/',
    scope: 'dashboard:read',
    summary: 'List dashboards',
    description: 'Pinned ones first, then by name. Deleted ones, and those that the access rules hide from you, are left out.',
    query: listQuery,
    status: 200,
    response: dashboardPage,
    errors: [403],
    cacheable: () => true,
    handle: async (context) => {
      const { deps, request, project, principal, query } = context;
      const access = await accessOf(context, 'dashboard');
      access.requireResource('viewer');
      const page = readPage(request);
      const filter = { ...query, hidden: access.hiddenIds };
      const { count, rows } = await listDashboards(deps.db, project.id, principal.userId, filter, page);
      const views = rows.map((row) => itemView(context, access, row));
      return envelope(request, page, count, views);
    },
  }),
  projectRoute({
    method: 'POST',
    path: '/dashboards/',
    scope: 'dashboard:write',
    summary: 'Create a dashboard: empty, from a template, or as a copy of another',
    body: createSchema,
    status: 201,
    response: dashboardSchema,
    errors: [403],
    load: requireResourceLevel('dashboard', 'editor'),
    handle: async (context) => {
      const { loaded, body } = context;
      return create(context, loaded, body, await findOrigin(context, loaded, body));
    },
  }),
  projectRoute({
    method: 'POST',
    path: '/dashboards/create_from_template_json/',
    scope: 'session',
    summary: 'Create a dashboard from a template that is sent along',
    body: fromTemplateSchema,
    status: 200,
    response: dashboardSchema,
    errors: [403],
    load: async (context) => {
      const access = await requireResourceLevel('dashboard', 'editor')(context);
      const body = await readBody(context.request);
      // errors of a template have no path in the body, so they are found before the schema of the body is applied
      return { access, template: readTemplate(isObject(body) ? body['template'] : undefined) };
    },
    handle: (context) => {
      const { access, template } = context.loaded;
      return create(context, access, NO_FIELDS, fromTemplate(context, template));
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/dashboards/:id/',
    scope: 'dashboard:read',
    summary: 'Retrieve a dashboard with its tiles',
    params: dashboardParams,
    query: retrieveQuery,
    status: 200,
    response: dashboardSchema,
    errors: [403],
    // other modes of refresh ask for results to be computed now
    cacheable: ({ refresh = 'force_cache' }) => refresh === 'force_cache',
    handle: (context) => retrieveDashboard(context, context.query),
  }),
  ...projectUpdateRoutes({
    path: '/dashboards/:id/',
    scope: 'dashboard:write',
    summary: {
      PATCH: 'Change, delete or restore a dashboard',
      PUT: 'Change, delete or restore a dashboard; fields left out stay as they are',
    },
    params: dashboardParams,
    body: patchSchema,
    status: 200,
    response: dashboardSchema,
    errors: [403, 409],
    load: async (context) => {
      const [found, insights] = await Promise.all([findEditable(context), accessOf(context, 'insight')]);
      return { ...found, insights };
    },
    handle: async (context) => {
      const { loaded, body } = context;
      const row = await patchDashboard(context, loaded, body);
      return showDashboard(context, { ...loaded, row }, loaded.insights);
    },
  }),
  projectRoute({
    method: 'DELETE',
    path: '/dashboards/:id/',
    scope: 'dashboard:write',
    summary: 'Never deletes: answers 405 without a body. Send `deleted: true` with PATCH instead',
    params: dashboardParams,
    status: 405,
    handle: async ({ reply }) => reply.code(405).send(),
  }),
  projectRoute({
    method: 'POST',
    path: '/dashboards/:id/viewed/',
    scope: 'dashboard:read',
    summary: 'Record that you viewed a dashboard, for the list of what you viewed last',
    params: dashboardParams,
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
    method: 'PATCH',
    path: '/dashboards/:id/move_tile/',
    scope: 'session',
    summary: 'Move a tile to another dashboard; answers with the one that it was on',
    params: dashboardParams,
    body: moveSchema,
    status: 200,
    response: dashboardSchema,
    errors: [403],
    load: async (context: ItemContext) => {
      const found = await findVisible(context);
      requireEditable(context, found);
      return found;
    },
    handle: async (context) => {
      const { loaded, body } = context;
      const insights = await accessOf(context, 'insight');
      await moveToDashboard(context, loaded, body.tile.id, body.toDashboard, insights);
      return showDashboard(context, loaded, insights);
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/dashboards/:id/stream_tiles/',
    scope: 'session',
    summary: 'Retrieve a dashboard as server-sent events, tile by tile',
    params: dashboardParams,
    query: retrieveQuery,
    status: 200,
    mediaType: 'text/event-stream',
    errors: [403],
    load: (context) => findVisible(context),
    handle: async (context) => {
      const { reply, loaded, query } = context;
      const events = await streamDashboard(context, loaded, query);
      reply.header('content-type', 'text/event-stream; charset=utf-8').header('cache-control', 'no-cache');
      return reply.header('x-accel-buffering', 'no').send(events);
    },
  }),
];

/** The fields of a request that sets none. */
const NO_FIELDS: CreateFields = createSchema.parse({});

async function create(context: ProjectContext, access: Access, fields: CreateFields, origin: Origin) {
  const row = await createDashboard(context, fields, origin);
  return origin.addTiles ? showDashboard(context, { row, access }) : dashboardView(context, access, row, []);
}
