import { accessOf, requireResourceLevel } from '../../access/index.js';
import { countCohortPeople, findPeople } from '../../analytics/index.js';
import { type ProjectContext, projectRoute, projectUpdateRoutes } from '../../auth/index.js';
import { envelope, readPage } from '../../http/pagination.js';
import { ApiError } from '../../kernel/errors.js';
import { showPersons } from '../persons/index.js';
import { disconnectSignal } from '../results/index.js';
import { findEditable, findStatic, findVisible } from './access.js';
import { normalizeFilters, requireValidReferences, usedBy } from './conditions.js';
import {
  addSchema,
  cohortPage,
  cohortParams,
  cohortSchema,
  countedSchema,
  countSchema,
  doneSchema,
  duplicateSchema,
  fieldsSchema,
  listQuery,
  peoplePage,
  peopleQuery,
  removeSchema,
  usedBySchema,
} from './schema.js';
import { changePeople, createCohort, duplicateCohort, patchCohort } from './service.js';
import { inCohort, listCohorts, listMembers } from './store.js';
import { cohortViews } from './view.js';

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const cohortRoutes = [
  projectRoute({
    method: 'GET',
    path: '/cohorts/',
    scope: 'cohort:read',
    summary: 'List cohorts, newest first',
    query: listQuery,
    status: 200,
    response: cohortPage,
    handle: async ({ query, ...context }) => list(context, query.search || undefined, query.type || undefined),
  }),
  projectRoute({
    method: 'POST',
    path: '/cohorts/',
    scope: 'cohort:write',
    summary: 'Create a cohort',
    description: 'Its people are counted before the answer, for five seconds at most.',
    body: fieldsSchema,
    status: 201,
    response: cohortSchema,
    load: requireResourceLevel('cohort', 'editor'),
    handle: async ({ body, loaded: access, ...context }) =>
      (await cohortViews(context.deps.db, access, [await createCohort(context, body)]))[0],
  }),
  projectRoute({
    method: 'POST',
    path: '/cohorts/count/',
    scope: 'cohort:read',
    summary: 'Count the people that conditions hold for, without a cohort',
    body: countSchema,
    status: 200,
    response: countedSchema,
    load: requireResourceLevel('cohort', 'viewer'),
    handle: async ({ deps, project, reply, body }) => {
      const filters = normalizeFilters(body.filters);
      await requireValidReferences(deps.db, project.id, null, filters);
      return countCohortPeople(deps, project.id, filters.properties, disconnectSignal(reply.raw));
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/cohorts/:id/',
    params: cohortParams,
    scope: 'cohort:read',
    summary: 'Retrieve a cohort',
    status: 200,
    response: cohortSchema,
    load: findVisible,
    handle: async ({ deps, loaded: { row, access } }) => (await cohortViews(deps.db, access, [row]))[0],
  }),
  ...projectUpdateRoutes({
    path: '/cohorts/:id/',
    params: cohortParams,
    scope: 'cohort:write',
    summary: {
      PATCH: 'Change, delete (`deleted: true`) or restore (`deleted: false`) a cohort',
      PUT: 'Change a cohort; fields that are left out stay',
    },
    body: fieldsSchema,
    status: 200,
    response: cohortSchema,
    load: findEditable,
    handle: async ({ body, loaded: { row, access }, ...context }) =>
      (await cohortViews(context.deps.db, access, [await patchCohort(context, row.id, body)]))[0],
  }),
  projectRoute({
    method: 'POST',
    path: '/cohorts/:id/duplicate/',
    params: cohortParams,
    scope: 'cohort:write',
    summary: 'Copy a cohort: its conditions, or its list of people',
    body: duplicateSchema,
    status: 201,
    response: cohortSchema,
    load: async (context) => {
      const found = await findVisible(context);
      found.access.requireResource('editor');
      return found;
    },
    handle: async ({ body, loaded: { row, access }, ...context }) =>
      (await cohortViews(context.deps.db, access, [await duplicateCohort(context, row, body)]))[0],
  }),
  projectRoute({
    method: 'GET',
    path: '/cohorts/:id/persons/',
    params: cohortParams,
    scope: 'cohort:read',
    summary: 'List the people in a cohort, newest first',
    query: peopleQuery,
    status: 200,
    response: peoplePage,
    load: async (context) => {
      await requireResourceLevel('person', 'viewer')(context);
      return findVisible(context);
    },
    handle: async ({ deps, request, reply, project, loaded: { row } }) => {
      const page = readPage(request);
      const signal = disconnectSignal(reply.raw);
      const found = row.is_static
        ? await listMembers(deps.db, project.id, row.id, page)
        : await findPeople(deps, project.id, [inCohort(row)], page, signal);
      const shown = await showPersons(deps.db, project.id, found.slice(0, page.limit));
      // people are not counted: the links only need to know whether there is another page
      const { next, previous, results } = envelope(request, page, page.offset + found.length, shown);
      return { next, previous, results };
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/cohorts/:id/used_by/',
    params: cohortParams,
    scope: 'cohort:read',
    summary: 'List the feature flags and cohorts that use a cohort',
    status: 200,
    response: usedBySchema,
    load: findVisible,
    handle: ({ loaded: { row }, ...context }) => usedBy(context, row.id),
  }),
  projectRoute({
    method: 'PATCH',
    path: '/cohorts/:id/add_persons_to_static_cohort/',
    params: cohortParams,
    scope: 'cohort:write',
    summary: 'Put people into a static cohort',
    body: addSchema,
    status: 200,
    response: doneSchema,
    load: findStatic,
    handle: async ({ body, loaded: { row }, ...context }) => {
      await changePeople(context, row.id, { add: body.person_ids });
      return { success: true };
    },
  }),
  projectRoute({
    method: 'PATCH',
    path: '/cohorts/:id/remove_person_from_static_cohort/',
    params: cohortParams,
    scope: 'cohort:write',
    summary: 'Take somebody out of a static cohort',
    body: removeSchema,
    status: 200,
    response: doneSchema,
    load: findStatic,
    handle: async ({ body, loaded: { row }, ...context }) => {
      await changePeople(context, row.id, { remove: body.person_id });
      return { success: true };
    },
  }),
];

async function list(context: ProjectContext, search: string | undefined, type: string | undefined) {
  const { deps, request, project, principal } = context;
  if (type !== undefined && type !== 'static' && type !== 'dynamic') {
    throw new ApiError('invalid_choice', `"${type}" is not a valid choice.`, 'type');
  }
  const access = await accessOf(context, 'cohort');
  access.requireResource('viewer');
  const page = readPage(request);
  const reader = { userId: principal.userId, hidden: access.hiddenIds };
  const filter = { search, isStatic: type === undefined ? undefined : type === 'static' };
  const { count, rows } = await listCohorts(deps.db, project.id, reader, filter, page);
  return envelope(request, page, count, await cohortViews(deps.db, access, rows));
}
