import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from './api.js';

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
