import { type Access, accessOf } from '../../access/index.js';
import { type ProjectContext, projectRoute } from '../../auth/index.js';
import { readBody } from '../../http/body.js';
import { isObject } from '../../kernel/json.js';
import { readTemplate } from '../templates/index.js';
import { createDashboard, type Start } from './create.js';
import { dashboardSchema } from './response-schema.js';
import { type CreateFields, createSchema, fromTemplateSchema } from './schema.js';
import { showDashboard } from './show.js';
import { findStart, fromTemplate } from './start.js';
import { dashboardView } from './view.js';

/** What is known of a new dashboard whose request says nothing. */
const NOTHING: CreateFields = createSchema.parse({});

export const createRoutes = [
  projectRoute({
    method: 'POST',
    path: '/dashboards/',
    scope: 'dashboard:write',
    summary: 'Create a dashboard: empty, from a template, or as a copy of another',
    body: createSchema,
    status: 201,
    response: dashboardSchema,
    errors: [403],
    load: loadMaker,
    handle: async (context) => {
      const { loaded, body } = context;
      return create(context, loaded, body, await findStart(context, loaded, body));
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
      const access = await loadMaker(context);
      const body = await readBody(context.request);
      // what is wrong with a template is a fault of the whole body
      return { access, template: readTemplate(isObject(body) ? body['template'] : undefined) };
    },
    handle: (context) => {
      const { access, template } = context.loaded;
      return create(context, access, NOTHING, fromTemplate(context, template));
    },
  }),
];

async function create(context: ProjectContext, access: Access, fields: CreateFields, start: Start) {
  const dashboard = await createDashboard(context, fields, start);
  return start.fill ? showDashboard(context, { dashboard, access }) : dashboardView(context, access, dashboard, []);
}

async function loadMaker(context: ProjectContext): Promise<Access> {
  const access = await accessOf(context, 'dashboard');
  access.requireResource('editor');
  return access;
}
