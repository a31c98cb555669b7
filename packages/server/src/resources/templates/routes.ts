import { z } from 'zod';
import type { ItemContext } from '../../access/index.js';
import { type ProjectContext, projectRoute } from '../../auth/index.js';
import { envelope, readPage } from '../../http/pagination.js';
import { ApiError } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/ids.js';
import { ADMIN } from '../../kernel/rights.js';
import { BUILT_IN, type BuiltIn } from './built-in.js';
import { createSchema, type ListQuery, listQuery, patchSchema, responseSchema, templatePage } from './schema.js';
import { createTemplate, patchTemplate } from './service.js';
import { listTemplates, readTemplateRow } from './store.js';
import { builtInView, templateView } from './view.js';

const PATH = '/dashboard_templates/';
const params = { id: z.uuid().describe('Identifies the template.') };

/** Routes under a project. An update with `deleted: true` deletes a template, as with dashboards. */
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
    handle: async ({ loaded, body, ...context }) => templateView(await patchTemplate(context, loaded, body)),
  }),
];

async function requireAdmin({ level }: ProjectContext): Promise<void> {
  if (level < ADMIN) throw adminsOnly();
}

const adminsOnly = () => new ApiError('permission_denied', "You don't have edit permissions for this dashboard template.");

async function find(context: ItemContext) {
  const builtIn = builtInOf(context);
  if (builtIn) return builtInView(builtIn);
  const row = await readRow(context);
  if (row.deleted) throw new ApiError('not_found');
  return templateView(row);
}

/** The id of a template of the project, deleted or not, for administrators of the project. @throws ApiError permission_denied, not_found */
async function findOwn(context: ItemContext): Promise<string> {
  await requireAdmin(context);
  if (builtInOf(context)) throw adminsOnly();
  const { id, project_id: projectId } = await readRow(context);
  if (projectId === null) throw adminsOnly();
  return id;
}

const builtInOf = ({ params: { id } }: ItemContext) => BUILT_IN.find((one) => one.id === id?.toLowerCase());

async function readRow({ deps, project, params: { id = '' } }: ItemContext) {
  const row = isUuid(id) ? await readTemplateRow(deps.db, project.id, id) : undefined;
  if (!row) throw new ApiError('not_found');
  return row;
}

/** Lists a page of templates: the built-in ones, then those of the database. */
async function list({ deps, request, project }: ProjectContext, query: ListQuery) {
  const page = readPage(request);
  const builtIn = BUILT_IN.filter((one) => matches(one, query));
  const first = builtIn.slice(page.offset, page.offset + page.limit);
  const rest = { limit: page.limit - first.length, offset: Math.max(0, page.offset - builtIn.length) };
  const { count, rows } = await listTemplates(deps.db, project.id, query, rest);
  return envelope(request, page, builtIn.length + count, [...first.map(builtInView), ...rows.map(templateView)]);
}

function matches({ template }: BuiltIn, { scope, search }: ListQuery): boolean {
  if (scope === 'team' || scope === 'feature_flag') return false;
  const words = search?.toLowerCase() ?? '';
  return `${template.template_name}\n${template.dashboard_description}`.toLowerCase().includes(words);
}
