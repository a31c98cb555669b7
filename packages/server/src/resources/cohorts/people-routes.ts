import { findPeople } from '../../analytics/index.js';
import { projectRoute } from '../../auth/index.js';
import { envelope, readPage } from '../../http/pagination.js';
import { showPersons } from '../persons/index.js';
import { goneSignal } from '../results/index.js';
import { changePeople } from './change.js';
import { findCohort, findStatic } from './find-cohort.js';
import { listMembers } from './members-store.js';
import { doneSchema, peoplePage } from './response.js';
import { inCohort } from './row.js';
import { addSchema, cohortParams, peopleQuery, removeSchema } from './schema.js';

/** Who is in a cohort. */
export const peopleRoutes = [
  projectRoute({
    method: 'GET',
    path: '/cohorts/:id/persons/',
    params: cohortParams,
    scope: 'cohort:read',
    summary: 'List the people in a cohort, newest first',
    query: peopleQuery,
    status: 200,
    response: peoplePage,
    load: findCohort,
    handle: async ({ deps, request, reply, project, loaded: { row } }) => {
      const page = readPage(request);
      const gone = goneSignal(reply.raw);
      const found = row.is_static
        ? await listMembers(deps.db, project.id, row.id, page)
        : await findPeople(deps, project.id, [inCohort(row)], page, gone);
      const shown = await showPersons(deps.db, project.id, found.slice(0, page.limit));
      // as in the list of persons: whether there is more is all that the links need
      const { next, previous, results } = envelope(request, page, page.offset + found.length, shown);
      return { next, previous, results };
    },
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
