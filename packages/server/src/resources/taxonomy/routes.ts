import { z } from 'zod';
import { requireResourceLevel } from '../../access/index.js';
import { type ProjectContext, projectRoute, projectUpdateRoutes } from '../../auth/index.js';
import { envelope, readPage } from '../../http/pagination.js';
import { ApiError } from '../../kernel/errors.js';
import { changeDefinition, definitionLoader, EVENT_DEFINITIONS, PROPERTY_DEFINITIONS } from './change.js';
import {
  changeSchema,
  definitionParams,
  eventPage,
  eventQuery,
  eventSchema,
  propertyPage,
  propertyQuery,
  propertySchema,
  seenTogetherQuery,
} from './schema.js';
import { eventsWith, listEvents, listProperties } from './store.js';
import { type EventDefinition, eventViews, type PropertyDefinition, propertyViews } from './view.js';

const loadEvent = definitionLoader(EVENT_DEFINITIONS, 'viewer');
const loadEventToEdit = definitionLoader(EVENT_DEFINITIONS, 'editor');
const loadProperty = definitionLoader(PROPERTY_DEFINITIONS, 'viewer');
const loadPropertyToEdit = definitionLoader(PROPERTY_DEFINITIONS, 'editor');

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
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
      const volumes = await deps.services.eventVolumes.of(project.id);
      const { rows, count } = await listEvents(deps.db, project.id, query, volumes, page);
      return envelope(request, page, count, await eventViews(deps.db, rows));
    },
  }),
  projectRoute({
    method: 'GET',
    path: '/event_definitions/:id/',
    params: definitionParams,
    scope: 'event_definition:read',
    summary: 'Retrieve an event definition',
    status: 200,
    response: eventSchema,
    load: loadEvent,
    handle: async ({ loaded, ...context }) => showEvent(context, loaded),
  }),
  ...projectUpdateRoutes({
    path: '/event_definitions/:id/',
    params: definitionParams,
    scope: 'event_definition:write',
    summary: {
      PATCH: 'Describe, tag, verify or hide an event',
      PUT: 'Describe, tag, verify or hide an event; fields that are left out stay',
    },
    body: changeSchema,
    status: 200,
    response: eventSchema,
    load: loadEventToEdit,
    handle: async ({ loaded, body, ...context }) =>
      showEvent(context, await changeDefinition(context, EVENT_DEFINITIONS, loaded.id, body)),
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
      return envelope(request, page, count, await propertyViews(deps.db, rows));
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
  projectRoute({
    method: 'GET',
    path: '/property_definitions/:id/',
    params: definitionParams,
    scope: 'property_definition:read',
    summary: 'Retrieve a property definition',
    status: 200,
    response: propertySchema,
    load: loadProperty,
    handle: async ({ loaded, ...context }) => showProperty(context, loaded),
  }),
  ...projectUpdateRoutes({
    path: '/property_definitions/:id/',
    params: definitionParams,
    scope: 'property_definition:write',
    summary: {
      PATCH: 'Describe, tag, verify or hide a property',
      PUT: 'Describe, tag, verify or hide a property; fields that are left out stay',
    },
    body: changeSchema,
    status: 200,
    response: propertySchema,
    load: loadPropertyToEdit,
    handle: async ({ loaded, body, ...context }) =>
      showProperty(context, await changeDefinition(context, PROPERTY_DEFINITIONS, loaded.id, body)),
  }),
];

async function showEvent({ deps, project }: ProjectContext, row: EventDefinition) {
  const volumes = await deps.services.eventVolumes.of(project.id);
  return one(await eventViews(deps.db, [{ ...row, volume: volumes && (volumes.get(row.name) ?? 0) }]));
}

const showProperty = async ({ deps }: ProjectContext, row: PropertyDefinition) => one(await propertyViews(deps.db, [row]));

function one<T>([view]: readonly T[]): T {
  if (view === undefined) throw new ApiError('not_found');
  return view;
}
