import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from './api.js';

export const PERSONS_PAGE = 100;

/** People, the latest first. @param search part of an e-mail address, a name or an id */
export const personsQuery = (project: string, search: string) =>
  queryOptions({
    queryKey: ['project', project, 'persons', search],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/persons/', {
          params: { path: { project_id: project }, query: { limit: PERSONS_PAGE, ...(search && { search }) } } as never,
          signal,
        }),
      ),
  });

export const personQuery = (project: string, id: string) =>
  queryOptions({
    queryKey: ['project', project, 'person', id],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/persons/{id}/', {
          params: { path: { project_id: project, id } } as never,
          signal,
        }),
      ),
  });

/** Events of a person, the latest first. */
export const personEventsQuery = (project: string, id: string) =>
  queryOptions({
    queryKey: ['project', project, 'person-events', id],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/events/', {
          params: { path: { project_id: project }, query: { person_id: id, limit: 100, after: '-90d' } as never },
          signal,
        }),
      ),
  });

/** Recordings of the project or of one person, the latest first. */
export const recordingsQuery = (project: string, person: string | null) =>
  queryOptions({
    queryKey: ['project', project, 'recordings', person],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/session_recordings/', {
          params: { path: { project_id: project }, query: { limit: 100, ...(person && { person_uuid: person }) } as never },
          signal,
        }),
      ),
  });
