import type { Selectable } from 'kysely';
import { z } from 'zod';
import { requireResourceLevel } from '../../access/index.js';
import { projectRoute } from '../../auth/index.js';
import { isoTime } from '../../http/dates.js';
import { uuid } from '../../http/fields.js';
import { envelope, readPage } from '../../http/pagination.js';
import { ApiError } from '../../kernel/errors.js';
import type { DB } from '../../ports/db.js';
import { eventPage, eventParams, eventQuery, eventSchema, propertyPage, propertyQuery, seenTogetherQuery } from './schema.js';
import { eventsWith, findEvent, listEvents, listProperties } from './store.js';

export const definitionRoutes = [
  projectRoute({
    method: 'GET',
    path: '/event_definitions/',
    scope: 'event_definition:read',
    summary: 'List the events that the project has received',
    query: eventQuery,
    status: 200,
    response: eventPage,
    load: requireResourceLevel('event_definition', 'viewer'),
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
    load: async (context) => {
      const { deps, project, params } = context;
      await requireResourceLevel('event_definition', 'viewer')(context);
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
    load: requireResourceLevel('property_definition', 'viewer'),
    handle: async ({ deps, request, project, query }) => {
      const page = readPage(request);
      const { rows, count } = await listProperties(deps.db, project.id, query, page);
      return envelope(request, page, count, rows.map(propertyView));
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/property_definitions/seen_together/',
    scope: 'property_definition:read',
    summary: 'Tell on which events a property was seen',
    query: seenTogetherQuery,
    status: 200,
    response: z.record(z.string(), z.boolean()).meta({ description: 'Whether the property was seen, by name of the event.' }),
    handle: async ({ deps, project, query: { event_names: names, property_name: property } }) => {
      const seen = new Set(await eventsWith(deps.db, project.id, names, property));
      return Object.fromEntries(names.map((name) => [name, seen.has(name)]));
    },
  }),
];

/** An event definition as responses show it. */
function eventView(row: Selectable<DB['event_definitions']>) {
  return {
    id: row.id,
    name: row.name,
    description: '',
    tags: [],
    created_at: isoTime(row.created_at),
    last_seen_at: isoTime(row.last_seen_at),
    last_updated_at: isoTime(row.last_seen_at),
  };
}

interface PropertyRow {
  id: string;
  name: string;
  property_type: string | null;
  is_seen: boolean | null;
}

/** A property definition as responses show it. Without `event_names` in the request, `is_seen_on_filtered_events` is null. */
function propertyView({ id, name, property_type, is_seen }: PropertyRow) {
  return {
    id,
    name,
    description: '',
    tags: [],
    property_type,
    is_numerical: property_type === 'Numeric',
    is_seen_on_filtered_events: is_seen,
  };
}
