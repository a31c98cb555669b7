import { type Access, accessOf, requireResourceLevel } from '../../access/index.js';
import { type ProjectContext, projectRoute, projectUpdateRoutes } from '../../auth/index.js';
import { envelope, readPage } from '../../http/pagination.js';
import { findEditable, findVisible } from './access.js';
import { createSchema, type ListQuery, listQuery, patchSchema, surveyPage, surveyParams, surveySchema } from './schema.js';
import { createSurvey, patchSurvey, removeSurvey } from './service.js';
import { listSurveys, type SurveyRow } from './store.js';
import { surveyViews } from './view.js';

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const surveyRoutes = [
  projectRoute({
    method: 'GET',
    path: '/surveys/',
    scope: 'survey:read',
    summary: 'List surveys, newest first',
    query: listQuery,
    status: 200,
    response: surveyPage,
    handle: async ({ query, ...context }) => list(context, query),
  }),
  projectRoute({
    method: 'POST',
    path: '/surveys/',
    scope: 'survey:write',
    summary: 'Create a survey; it runs from its start date',
    body: createSchema,
    status: 201,
    response: surveySchema,
    load: requireResourceLevel('survey', 'editor'),
    handle: async ({ body, loaded: access, ...context }) => show(context, access, await createSurvey(context, body)),
  }),
  projectRoute({
    method: 'GET',
    path: '/surveys/:id/',
    params: surveyParams,
    scope: 'survey:read',
    summary: 'Retrieve a survey',
    status: 200,
    response: surveySchema,
    load: findVisible,
    handle: async ({ loaded: { row, access }, ...context }) => show(context, access, row),
  }),
  ...projectUpdateRoutes({
    path: '/surveys/:id/',
    params: surveyParams,
    scope: 'survey:write',
    summary: {
      PATCH: 'Change, start (`start_date`), end (`end_date`) or archive a survey',
      PUT: 'Change a survey; fields that are left out stay',
    },
    body: patchSchema,
    status: 200,
    response: surveySchema,
    load: findEditable,
    handle: async ({ body, loaded: { row, access }, ...context }) =>
      show(context, access, await patchSurvey(context, row.uuid, body)),
  }),
  projectRoute({
    method: 'DELETE',
    path: '/surveys/:id/',
    params: surveyParams,
    scope: 'survey:write',
    summary: 'Delete a survey; its answers stay, because they are events',
    status: 204,
    load: findEditable,
    handle: async ({ loaded: { row }, ...context }) => removeSurvey(context, row.uuid),
  }),
];

const show = async (context: ProjectContext, access: Access, row: SurveyRow) => (await surveyViews(context, access, [row]))[0];

async function list(context: ProjectContext, { search, status, archived }: ListQuery) {
  const { deps, request, project, principal } = context;
  const access = await accessOf(context, 'survey');
  access.requireResource('viewer');
  const page = readPage(request);
  const reader = { userId: principal.userId, hidden: access.hiddenIds };
  const filter = {
    search: search || undefined,
    status: status || undefined,
    archived: archived === '' ? undefined : archived,
    at: new Date(deps.clock.now()),
  };
  const { count, rows } = await listSurveys(deps.db, project.id, reader, filter, page);
  return envelope(request, page, count, await surveyViews(context, access, rows));
}
