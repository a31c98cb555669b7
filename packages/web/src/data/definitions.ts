import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { ask } from './answer.js';
import { api, type Schemas, unwrap } from './api.js';

/** Names of events, the latest first. @param search part of the name */
export const eventNamesQuery = (project: string, search: string) =>
  queryOptions({
    queryKey: ['project', project, 'event-definitions', search],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/event_definitions/', {
          params: { path: { project_id: project }, query: { search, ordering: '-last_seen_at', limit: 100 } },
          signal,
        }),
      ),
    staleTime: 30_000,
  });

/** Names of properties. @param eventNames those seen with these events come first */
export const propertyNamesQuery = (
  project: string,
  type: 'event' | 'person',
  search: string,
  eventNames: readonly string[] = [],
) =>
  queryOptions({
    queryKey: ['project', project, 'property-definitions', type, search, eventNames],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/property_definitions/', {
          params: {
            path: { project_id: project },
            query: { type, search, limit: 100, ...(eventNames.length > 0 && { event_names: JSON.stringify(eventNames) }) },
          },
          signal,
        }),
      ),
    staleTime: 30_000,
  });

/** Names of the properties of groups of one type. */
export const groupPropertyNamesQuery = (project: string, groupType: number, search: string) =>
  queryOptions({
    queryKey: ['project', project, 'property-definitions', 'group', groupType, search],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/property_definitions/', {
          params: {
            path: { project_id: project },
            query: { type: 'group', group_type_index: groupType as 0 | 1 | 2 | 3 | 4, search, limit: 100 },
          },
          signal,
        }),
      ),
    staleTime: 30_000,
  });

/** Values of a property, the most frequent first. @param search part of the value */
export const propertyValuesQuery = (project: string, type: 'event' | 'person', key: string, search: string) =>
  queryOptions({
    queryKey: ['project', project, 'property-values', type, key, search],
    queryFn: ({ signal }) => {
      const params = { path: { project_id: project }, query: { key, ...(search && { value: search }) } };
      return unwrap(
        type === 'person'
          ? api.GET('/api/environments/{project_id}/persons/values/', { params, signal })
          : api.GET('/api/environments/{project_id}/events/values/', { params, signal }),
      );
    },
    enabled: key !== '',
    staleTime: 30_000,
  });

/** Cohorts by name. */
export const cohortsQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'cohorts'],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/cohorts/', {
          params: { path: { project_id: project }, query: { limit: 200 } },
          signal,
        }),
      ),
    staleTime: 30_000,
  });

export type EventDefinition = Schemas['EventDefinition'];
export type PropertyDefinition = Schemas['PropertyDefinition'];

export type EventOrder = '-volume_30_day' | '-last_seen_at' | 'name';

/** Which definitions a list has. */
export interface DefinitionFilter {
  search?: string;
  is?: 'verified' | 'hidden';
  tag?: string;
}

const DEFINITIONS_PAGE = 100;
const wordsOf = ({ search, is, tag }: DefinitionFilter) => ({
  exclude_hidden: false,
  ...(search && { search }),
  ...(is === 'verified' && { verified: true }),
  ...(is === 'hidden' && { hidden: true }),
  ...(tag && { tags: [tag] }),
});

/** Events with their descriptions and tags, also hidden ones, in pages of 100. */
export const eventListQuery = (project: string, filter: DefinitionFilter, ordering: EventOrder) =>
  infiniteQueryOptions({
    queryKey: ['project', project, 'event-definitions', 'list', filter, ordering],
    queryFn: ({ signal, pageParam }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/event_definitions/', {
          params: {
            path: { project_id: project },
            query: { ...wordsOf(filter), ordering, limit: DEFINITIONS_PAGE, offset: pageParam } as never,
          },
          signal,
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: ({ next }, _pages, offset) => (next ? offset + DEFINITIONS_PAGE : undefined),
  });

/** Properties with their descriptions and tags, also hidden ones, in pages of 100. */
export const propertyListQuery = (project: string, type: 'event' | 'person' | 'group', filter: DefinitionFilter) =>
  infiniteQueryOptions({
    queryKey: ['project', project, 'property-definitions', 'list', type, filter],
    queryFn: ({ signal, pageParam }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/property_definitions/', {
          params: {
            path: { project_id: project },
            query: { ...wordsOf(filter), type, limit: DEFINITIONS_PAGE, offset: pageParam } as never,
          },
          signal,
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: ({ next }, _pages, offset) => (next ? offset + DEFINITIONS_PAGE : undefined),
  });

export const eventDefinitionQuery = (project: string, id: string) =>
  queryOptions({
    queryKey: ['project', project, 'event-definitions', 'one', id],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/event_definitions/{id}/', {
          params: { path: { project_id: project, id } },
          signal,
        }),
      ),
  });

export const propertyDefinitionQuery = (project: string, id: string) =>
  queryOptions({
    queryKey: ['project', project, 'property-definitions', 'one', id],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/property_definitions/{id}/', {
          params: { path: { project_id: project, id } },
          signal,
        }),
      ),
  });

/** The properties that events of a name have. */
export const propertiesOfEventQuery = (project: string, event: string) =>
  queryOptions({
    queryKey: ['project', project, 'property-definitions', 'of-event', event],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/property_definitions/', {
          params: {
            path: { project_id: project },
            query: {
              event_names: JSON.stringify([event]),
              filter_by_event_names: true,
              exclude_hidden: false,
              limit: 200,
            } as never,
          },
          signal,
        }),
      ),
  });

/** Which of the most frequent events have a property. */
export const eventsWithPropertyQuery = (project: string, property: string) =>
  queryOptions({
    queryKey: ['project', project, 'property-definitions', 'events-with', property],
    queryFn: async ({ signal }) => {
      const path = { project_id: project };
      const { results } = await unwrap(
        api.GET('/api/environments/{project_id}/event_definitions/', {
          params: { path, query: { ordering: '-volume_30_day', limit: 100 } },
          signal,
        }),
      );
      if (results.length === 0) return [];
      const query = { event_names: JSON.stringify(results.map(({ name }) => name)), property_name: property };
      const seen = await unwrap(
        api.GET('/api/environments/{project_id}/property_definitions/seen_together/', { params: { path, query }, signal }),
      );
      return results.filter(({ name }) => seen[name]);
    },
  });

const VOLUME_DAYS = 30;

/** Events a day of the last 30 days, by name: one query for all the names. */
export const volumesQuery = (project: string, names: readonly string[]) =>
  queryOptions({
    queryKey: ['project', project, 'volumes', names],
    queryFn: async ({ signal }) => {
      const query = `select event, dateDiff('day', toDate(timestamp), today()) as age, count() as events
from events where timestamp > now() - interval ${VOLUME_DAYS} day and event in {names} group by event, age limit 50000`;
      const { results } = await ask(project, { kind: 'HogQLQuery', query, values: { names } }, 'blocking', signal);
      const volumes = new Map<string, number[]>();
      for (const [event, age, events] of results as [string, number, number][]) {
        const days = volumes.get(event) ?? Array.from({ length: VOLUME_DAYS }, () => 0);
        const at = VOLUME_DAYS - 1 - Number(age);
        if (at >= 0 && at < VOLUME_DAYS) days[at] = Number(events);
        volumes.set(event, days);
      }
      return volumes;
    },
    enabled: names.length > 0,
    staleTime: 300_000,
  });

/** What people say about an event or property. */
export interface DefinitionFields {
  description?: string;
  tags?: string[];
  verified?: boolean;
  hidden?: boolean;
}

export const updateEventDefinition = (project: string, id: string, fields: DefinitionFields) =>
  unwrap(
    api.PATCH('/api/environments/{project_id}/event_definitions/{id}/', {
      params: { path: { project_id: project, id } },
      body: fields,
    }),
  );

export const updatePropertyDefinition = (project: string, id: string, fields: DefinitionFields) =>
  unwrap(
    api.PATCH('/api/environments/{project_id}/property_definitions/{id}/', {
      params: { path: { project_id: project, id } },
      body: fields,
    }),
  );

/** Makes lists and pickers of events and properties load anew. */
export async function refreshDefinitions(queries: QueryClient, project: string): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['project', project, 'event-definitions'] });
  await queries.invalidateQueries({ queryKey: ['project', project, 'property-definitions'] });
}
