import { z } from 'zod';
import { type ProjectContext, projectRoute } from '../../auth/index.js';
import { isUuid } from '../../http/ids.js';
import { ApiError } from '../../kernel/errors.js';
import { ADMIN } from '../../kernel/levels.js';
import { BUILT_IN } from './built-in.js';
import { changeTemplate, createTemplate } from './change.js';
import { list } from './list.js';
import { createSchema, listQuery, patchSchema, responseSchema, templatePage } from './schema.js';
import { readTemplateRow } from './store.js';
import { builtInView, templateView } from './view.js';

const PATH = '/dashboard_templates/';
const params = { id: z.uuid().describe('Identifies the template.') };

/** Below a project. Templates are deleted by changing them, as dashboards are. */
export const templateRoutes = [
  projectRoute({
    method: 'GET',
    path: PATH,
    scope: 'dashboard_template:read',
    summary: 'List the dashboard templates that the project can use',
    description: 'The built-in ones first, then by name.',
    query: listQuery,
    status: 200,
    response: templatePage,
    handle: ({ query, ...context }) => list(context, query),
  }),
  projectRoute({
    method: 'POST',
    path: PATH,
    scope: 'dashboard_template:write',
    summary: 'Create a dashboard template',
    description: 'Open to administrators of the project.',
    body: createSchema,
    status: 201,
    response: responseSchema,
    load: requireAdmin,
    handle: async ({ body, ...context }) => templateView(await createTemplate(context, body)),
  }),
  projectRoute({
    method: 'GET',
    path: `${PATH}:id/`,
    scope: 'dashboard_template:read',
    summary: 'Retrieve a dashboard template',
    params,
    status: 200,
    response: responseSchema,
    load: find,
    handle: async ({ loaded }) => loaded,
  }),
  projectRoute({
    method: 'PATCH',
    path: `${PATH}:id/`,
    scope: 'dashboard_template:write',
    summary: 'Change, delete or restore a dashboard template',
    description: 'Open to administrators of the project, for its own templates.',
    params,
    body: patchSchema,
    status: 200,
    response: responseSchema,
    load: findOwn,
    handle: async ({ loaded, body, ...context }) => templateView(await changeTemplate(context, loaded, body)),
  }),
];

type Context = ProjectContext & { params: Record<string, string> };

async function requireAdmin({ level }: ProjectContext): Promise<void> {
  if (level < ADMIN) throw refusal();
}

const refusal = () => new ApiError('permission_denied', "You don't have edit permissions for this dashboard template.");

async function find(context: Context) {
  const builtIn = builtInOf(context);
  if (builtIn) return builtInView(builtIn);
  const row = await readRow(context);
  if (row.deleted) throw new ApiError('not_found');
  return templateView(row);
}

/** The id of one of the project's own templates, deleted or not, for one of its administrators. */
async function findOwn(context: Context): Promise<string> {
  await requireAdmin(context);
  if (builtInOf(context)) throw refusal();
  const { id, project_id: projectId } = await readRow(context);
  if (projectId === null) throw refusal();
  return id;
}

const builtInOf = ({ params: { id } }: Context) => BUILT_IN.find((one) => one.id === id?.toLowerCase());

async function readRow({ deps, project, params: { id = '' } }: Context) {
  const row = isUuid(id) ? await readTemplateRow(deps.db, project.id, id) : undefined;
  if (!row) throw new ApiError('not_found');
  return row;
}
