import { accessOf, sightOf } from '../../access/index.js';
import { type ProjectContext, projectRoute, projectUpdateRoutes } from '../../auth/index.js';
import { envelope, readPage } from '../../http/pagination.js';
import { disconnectSignal } from '../results/index.js';
import {
  createAlert,
  type FoundAlert,
  findEditable,
  findTestable,
  findVisible,
  patchAlert,
  removeAlert,
  rightsOf,
} from './alerts.js';
import {
  alertPage,
  alertParams,
  alertSchema,
  createSchema,
  type ListQuery,
  listQuery,
  patchSchema,
  testedSchema,
} from './schema.js';
import { listAlerts } from './store.js';
import { alertView } from './view.js';
import { testWebhook } from './webhook-job.js';

/**
 * Routes under `/api/projects/:project_id` and `/api/environments/:project_id`.
 * @param wake runs the check of an alert that was made or changed
 */
export const alertRoutes = (wake: () => void) => [
  projectRoute({
    method: 'GET',
    path: '/alerts/',
    scope: 'alert:read',
    summary: 'List alerts: firing ones first, then failed ones, then by name',
    description: 'Those of insights that you may see.',
    query: listQuery,
    status: 200,
    response: alertPage,
    handle: list,
  }),
  projectRoute({
    method: 'POST',
    path: '/alerts/',
    scope: 'alert:write',
    summary: 'Create an alert on an insight; its first check runs at once',
    body: createSchema,
    status: 201,
    response: alertSchema,
    errors: [403],
    handle: async ({ body, ...context }) => {
      const view = await shown(context, await createAlert(context, body));
      wake();
      return view;
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/alerts/:id/',
    params: alertParams,
    scope: 'alert:read',
    summary: 'Retrieve an alert with its last checks',
    status: 200,
    response: alertSchema,
    errors: [403],
    load: findVisible,
    handle: async ({ loaded, ...context }) => shown(context, loaded),
  }),
  ...projectUpdateRoutes({
    path: '/alerts/:id/',
    params: alertParams,
    scope: 'alert:write',
    summary: {
      PATCH: 'Change, snooze, delete (`deleted: true`) or restore (`deleted: false`) an alert',
      PUT: 'Change an alert; fields that are left out stay',
    },
    body: patchSchema,
    status: 200,
    response: alertSchema,
    errors: [403],
    load: findEditable,
    handle: async ({ body, loaded, ...context }) => {
      const view = await shown(context, await patchAlert(context, loaded, body));
      wake();
      return view;
    },
  }),
  projectRoute({
    method: 'POST',
    path: '/alerts/:id/test/',
    params: alertParams,
    scope: 'alert:write',
    summary: 'Call the webhook of an alert once, at once, with a test',
    description: 'Its `state` is `Test`. A webhook that does not take it is not called again. Nothing of the alert changes.',
    status: 200,
    response: testedSchema,
    errors: [400, 403],
    load: findTestable,
    handle: async ({ deps, reply, loaded: { row } }) => {
      const fault = await testWebhook(deps, row, disconnectSignal(reply.raw));
      return { webhook: fault === null ? ('delivered' as const) : ('failed' as const), webhook_error: fault };
    },
  }),
  projectRoute({
    method: 'DELETE',
    path: '/alerts/:id/',
    params: alertParams,
    scope: 'alert:write',
    summary: 'Delete an alert; a change with `deleted: false` restores it',
    status: 204,
    errors: [403],
    load: findEditable,
    handle: async ({ loaded, ...context }) => removeAlert(context, loaded),
  }),
];

const shown = async (context: ProjectContext, { row, insight }: FoundAlert) =>
  alertView(row, await rightsOf(context, insight), context.deps.clock.now());

async function list({ query, ...context }: ProjectContext & { query: ListQuery }) {
  const { deps, request, project, principal } = context;
  const page = readPage(request);
  const access = await accessOf(context, 'insight');
  const filter = {
    insightId: query.insight_id,
    states: query.state,
    subscriber: query.subscribed ? principal.userId : undefined,
    search: query.search || undefined,
  };
  const now = new Date(deps.clock.now());
  const { count, rows } = await listAlerts(deps.db, project.id, sightOf(access, principal.userId), filter, now, page);
  const views = rows.map((row) => shown(context, { row, insight: { row: row.insight, access } }));
  return envelope(request, page, count, await Promise.all(views));
}
