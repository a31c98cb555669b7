import { uuid } from '../../http/atoms.js';
import { envelope, readPage } from '../../http/pagination.js';
import { projectRoute } from '../../identity/index.js';
import { ApiError } from '../../kernel/errors.js';
import { eventPage, eventParams, eventQuery, eventSchema, propertyPage, propertyQuery } from './schema.js';
import { findEvent, listEvents, listProperties } from './store.js';
import { eventView, propertyView } from './view.js';

export const definitionRoutes = [
  projectRoute({
    method: 'GET',
    path: '/event_definitions/',
    scope: 'event_definition:read',
    summary: 'List the events that the project has received',
    query: eventQuery,
    status: 200,
    response: eventPage,
    handle: async ({ deps, request, project, query }) => {
      const page = readPage(request);
      const { rows, count } = await listEvents(deps.db, project.id, query, page);
      return envelope(request, page, count, rows.map(eventView));
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/event_definitions/:id/',
    params: eventParams,
    scope: 'event_definition:read',
    summary: 'Retrieve an event definition',
    status: 200,
    response: eventSchema,
    load: async ({ deps, project, params }) => {
      const id = uuid().safeParse(params['id']);
      const row = id.success ? await findEvent(deps.db, project.id, id.data) : undefined;
      if (!row) throw new ApiError('not_found');
      return row;
    },
    handle: async ({ loaded }) => eventView(loaded),
  }),
  projectRoute({
    method: 'GET',
    path: '/property_definitions/',
    scope: 'property_definition:read',
    summary: 'List the properties of events, persons or groups',
    query: propertyQuery,
    status: 200,
    response: propertyPage,
    handle: async ({ deps, request, project, query }) => {
      const page = readPage(request);
      const { rows, count } = await listProperties(deps.db, project.id, query, page);
      return envelope(request, page, count, rows.map(propertyView));
    },
  }),
];
