import { z } from 'zod';
import { accessOf, type ItemContext } from '../../../access/index.js';
import { type ProjectContext, projectRoute, projectUpdateRoutes } from '../../../auth/index.js';
import { isoTime } from '../../../http/dates.js';
import { envelope, readPage } from '../../../http/pagination.js';
import { ApiError } from '../../../kernel/errors.js';
import { objectId } from '../../../kernel/ids.js';
import { type FlagRow, readFlag } from '../store.js';
import { createSchema, listQuery, type ScheduleQuery, schedulePage, scheduleSchema, updateSchema } from './schema.js';
import { flagOf, reschedule, scheduleChange, withdraw } from './service.js';
import { listSchedules, readSchedule, type ScheduleRow } from './store.js';

const scheduleParams = { id: z.string().describe('Number of the scheduled change.') };

const findFor = (level: 'viewer' | 'editor') => (context: ItemContext) => find(context, level);

/** Routes of scheduled changes of flags, under `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const scheduleRoutes = [
  projectRoute({
    method: 'GET',
    path: '/scheduled_changes/',
    scope: 'feature_flag:read',
    summary: 'List scheduled changes: pending ones first, then past ones',
    query: listQuery,
    status: 200,
    response: schedulePage,
    handle: list,
  }),
  projectRoute({
    method: 'POST',
    path: '/scheduled_changes/',
    scope: 'feature_flag:write',
    summary: 'Schedule a change of a feature flag',
    body: createSchema,
    status: 201,
    response: scheduleSchema,
    load: (context) => accessOf(context, 'feature_flag'),
    handle: async ({ body, loaded: access, ...context }) => {
      const flag = await flagOf(context, body.record_id);
      access.requireOn(flag, 'editor');
      return scheduleView(await scheduleChange(context, flag, body));
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/scheduled_changes/:id/',
    params: scheduleParams,
    scope: 'feature_flag:read',
    summary: 'Retrieve a scheduled change',
    status: 200,
    response: scheduleSchema,
    load: findFor('viewer'),
    handle: async ({ loaded: { row } }) => scheduleView(row),
  }),
  ...projectUpdateRoutes({
    path: '/scheduled_changes/:id/',
    params: scheduleParams,
    scope: 'feature_flag:write',
    summary: {
      PATCH: 'Change the payload or the time of a scheduled change that has not been made',
      PUT: 'Change the payload or the time of a scheduled change; fields that are left out stay',
    },
    body: updateSchema,
    status: 200,
    response: scheduleSchema,
    load: findFor('editor'),
    handle: async ({ body, loaded: { row, flag }, ...context }) => scheduleView(await reschedule(context, flag, row.id, body)),
  }),
  projectRoute({
    method: 'DELETE',
    path: '/scheduled_changes/:id/',
    params: scheduleParams,
    scope: 'feature_flag:write',
    summary: 'Delete a scheduled change',
    status: 204,
    load: findFor('editor'),
    handle: async ({ loaded: { row }, ...context }) => withdraw(context, row.id),
  }),
];

/** Finds a scheduled change and its flag for a caller with this level on the flag. @throws ApiError not_found, permission_denied */
async function find(context: ItemContext, level: 'viewer' | 'editor'): Promise<{ row: ScheduleRow; flag: FlagRow }> {
  const { deps, project, params } = context;
  const id = objectId(params['id']);
  const row = id === null ? null : await readSchedule(deps.db, project.id, id);
  const flag = row && (await readFlag(deps.db, project.id, { id: Number(row.record_id) }));
  if (!row || !flag) throw new ApiError('not_found');
  (await accessOf(context, 'feature_flag')).requireOn(flag, level);
  return { row, flag };
}

async function list({ query, ...context }: ProjectContext & { query: ScheduleQuery }) {
  const { deps, request, project, principal } = context;
  const access = await accessOf(context, 'feature_flag');
  access.requireResource('viewer');
  const page = readPage(request);
  const filter = { ...query, userId: principal.userId, hidden: access.hiddenIds };
  const { count, rows } = await listSchedules(deps.db, project.id, filter, page);
  return envelope(request, page, count, rows.map(scheduleView));
}

const scheduleView = ({ project_id, author, ...row }: ScheduleRow) => ({
  id: row.id,
  team_id: project_id,
  record_id: row.record_id,
  model_name: row.model_name,
  payload: row.payload,
  scheduled_at: isoTime(row.scheduled_at),
  executed_at: isoTime(row.executed_at),
  failure_reason: row.failure_reason,
  created_at: isoTime(row.created_at),
  created_by: author,
  updated_at: isoTime(row.updated_at),
});
