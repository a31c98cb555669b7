import { z } from 'zod';
import { accessOf } from '../../../access/index.js';
import { type ProjectContext, projectRoute } from '../../../auth/index.js';
import { isoTime } from '../../../http/dates.js';
import { objectId } from '../../../http/ids.js';
import { envelope, readPage } from '../../../http/pagination.js';
import { ApiError } from '../../../kernel/errors.js';
import type { FlagRow } from '../row.js';
import { readFlag } from '../store.js';
import { flagOf, reschedule, scheduleChange, withdraw } from './change.js';
import { createSchema, listQuery, type ScheduleQuery, schedulePage, scheduleSchema, updateSchema } from './schema.js';
import { listSchedules, readSchedule, type ScheduleRow } from './store.js';

type ItemContext = ProjectContext & { params: Record<string, string> };

const item = {
  path: '/scheduled_changes/:id/',
  params: { id: z.string().describe('Number of the scheduled change.') },
  status: 200,
  response: scheduleSchema,
} as const;
const update = {
  ...item,
  scope: 'feature_flag:write',
  body: updateSchema,
  load: (context: ItemContext) => find(context, 'editor'),
} as const;

/** Changes of flags that are made at a set time. */
export const scheduleRoutes = [
  projectRoute({
    method: 'GET',
    path: '/scheduled_changes/',
    scope: 'feature_flag:read',
    summary: 'List scheduled changes: what is to come, then what has been',
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
    ...item,
    method: 'GET',
    scope: 'feature_flag:read',
    summary: 'Retrieve a scheduled change',
    load: (context) => find(context, 'viewer'),
    handle: async ({ loaded: { row } }) => scheduleView(row),
  }),
  projectRoute({
    ...update,
    method: 'PATCH',
    summary: 'Change what is scheduled, or when, as long as it is to come',
    handle: async ({ body, loaded: { row, flag }, ...context }) => scheduleView(await reschedule(context, flag, row.id, body)),
  }),
  projectRoute({
    ...update,
    method: 'PUT',
    summary: 'Change what is scheduled, or when; fields that are left out stay',
    handle: async ({ body, loaded: { row, flag }, ...context }) => scheduleView(await reschedule(context, flag, row.id, body)),
  }),
  projectRoute({
    method: 'DELETE',
    path: item.path,
    params: item.params,
    scope: 'feature_flag:write',
    summary: 'Take a change off the schedule',
    status: 204,
    load: update.load,
    handle: async ({ loaded: { row }, ...context }) => withdraw(context, row.id),
  }),
];

/** @throws ApiError not_found; permission_denied: not the caller's flag to see or change */
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
