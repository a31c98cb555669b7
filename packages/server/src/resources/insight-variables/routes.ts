import { requireResourceLevel } from '../../access/index.js';
import { projectRoute, projectUpdateRoutes } from '../../auth/index.js';
import { envelope, readPage } from '../../http/pagination.js';
import { createSchema, listQuery, updateSchema, variablePage, variableParams, variableSchema } from './schema.js';
import { listVariables } from './store.js';
import { createVariable, findFor, patchVariable, removeVariable, variableView } from './variables.js';

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const variableRoutes = [
  projectRoute({
    method: 'GET',
    path: '/insight_variables/',
    scope: 'insight:read',
    summary: 'List the variables of SQL questions, by name',
    query: listQuery,
    status: 200,
    response: variablePage,
    load: requireResourceLevel('insight', 'viewer'),
    handle: async ({ query, deps, request, project }) => {
      const page = readPage(request);
      const { count, rows } = await listVariables(deps.db, project.id, query.code_name, page);
      return envelope(request, page, count, rows.map(variableView));
    },
  }),
  projectRoute({
    method: 'POST',
    path: '/insight_variables/',
    scope: 'insight:write',
    summary: 'Create a variable, for SQL questions to name as `{variables.code_name}`',
    body: createSchema,
    status: 201,
    response: variableSchema,
    load: requireResourceLevel('insight', 'editor'),
    handle: async ({ body, ...context }) => variableView(await createVariable(context, body)),
  }),
  projectRoute({
    method: 'GET',
    path: '/insight_variables/:id/',
    params: variableParams,
    scope: 'insight:read',
    summary: 'Retrieve a variable',
    status: 200,
    response: variableSchema,
    load: findFor('viewer'),
    handle: async ({ loaded }) => variableView(loaded),
  }),
  ...projectUpdateRoutes({
    path: '/insight_variables/:id/',
    params: variableParams,
    scope: 'insight:write',
    summary: {
      PATCH: 'Change a variable; its code name stays',
      PUT: 'Change a variable; fields that are left out stay',
    },
    body: updateSchema,
    status: 200,
    response: variableSchema,
    load: findFor('editor'),
    handle: async ({ body, loaded, ...context }) => variableView(await patchVariable(context, loaded, body)),
  }),
  projectRoute({
    method: 'DELETE',
    path: '/insight_variables/:id/',
    params: variableParams,
    scope: 'insight:write',
    summary: 'Delete a variable for good',
    status: 204,
    load: findFor('editor'),
    handle: ({ loaded, ...context }) => removeVariable(context, loaded),
  }),
];
