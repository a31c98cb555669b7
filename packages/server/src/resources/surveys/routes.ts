import { type Access, accessOf } from '../../access/index.js';
import { type ProjectContext, projectRoute } from '../../auth/index.js';
import { envelope, readPage } from '../../http/pagination.js';
import { createSurvey, patchSurvey, removeSurvey } from './change.js';
import { findFor } from './find-survey.js';
import { surveyPage, surveySchema } from './response.js';
import type { SurveyRow } from './row.js';
import { createSchema, listQuery, patchSchema, surveyParams } from './schema.js';
import { listSurveys } from './store.js';
import { surveyViews } from './view.js';

const update = {
  path: '/surveys/:id/',
  params: surveyParams,
  scope: 'survey:write',
  body: patchSchema,
  status: 200,
  response: surveySchema,
  load: findFor('editor'),
} as const;

/** Below `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const surveyRoutes = [
  projectRoute({
    method: 'GET',
    path: '/surveys/',
    scope: 'survey:read',
    summary: 'List surveys, newest first',
    query: listQuery,
    status: 200,
    response: surveyPage,
    handle: async ({ query, ...context }) => {
      const { deps, request, project, principal } = context;
      const access = await accessOf(context, 'survey');
      access.requireResource('viewer');
      const page = readPage(request);
      const reader = { userId: principal.userId, hidden: access.hiddenIds };
      const { count, rows } = await listSurveys(deps.db, project.id, reader, query.search || undefined, page);
      return envelope(request, page, count, await surveyViews(context, access, rows));
    },
  }),
  projectRoute({
    method: 'POST',
    path: '/surveys/',
    scope: 'survey:write',
    summary: 'Create a survey; it runs from its start date on',
    body: createSchema,
    status: 201,
    response: surveySchema,
    load: async (context) => {
      const access = await accessOf(context, 'survey');
      access.requireResource('editor');
      return access;
    },
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
    load: findFor('viewer'),
    handle: async ({ loaded: { row, access }, ...context }) => show(context, access, row),
  }),
  ...(['PATCH', 'PUT'] as const).map((method) =>
    projectRoute({
      ...update,
      method,
      summary:
        method === 'PUT'
          ? 'Change a survey; fields that are left out stay'
          : 'Change, start (`start_date`) or end (`end_date`) a survey, or put it away',
      handle: async ({ body, loaded: { row, access }, ...context }) =>
        show(context, access, await patchSurvey(context, row.uuid, body)),
    }),
  ),
  projectRoute({
    method: 'DELETE',
    path: '/surveys/:id/',
    params: surveyParams,
    scope: 'survey:write',
    summary: 'Delete a survey; the answers are events, and stay',
    status: 204,
    load: findFor('editor'),
    handle: async ({ loaded: { row }, ...context }) => removeSurvey(context, row.uuid),
  }),
];

const show = async (context: ProjectContext, access: Access, row: SurveyRow) => (await surveyViews(context, access, [row]))[0];
