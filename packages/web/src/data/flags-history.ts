import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from './api.js';

export type ScheduledChange = Schemas['ScheduledChange'];

/** The versions of a flag, the latest first. @param version the current one: a new one makes the list load anew */
export const flagVersionsQuery = (project: string, id: number, version: number) =>
  queryOptions({
    queryKey: ['project', project, 'flag', id, 'versions', version],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/feature_flags/{id}/versions/', {
          params: { path: { project_id: project, id: String(id) }, query: { limit: 200 } },
          signal,
        }),
      ),
    placeholderData: (before) => before,
  });

/** A flag as it was in one version. Versions never change. */
export const flagVersionQuery = (project: string, id: number, version: number) =>
  queryOptions({
    queryKey: ['project', project, 'flag-version', id, version],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/feature_flags/{id}/versions/{version}/', {
          params: { path: { project_id: project, id: String(id), version: String(version) } },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: version > 0,
  });

/** What is scheduled for a flag, and what was. */
export const scheduledChangesQuery = (project: string, id: number) =>
  queryOptions({
    queryKey: ['project', project, 'flag', id, 'schedule'],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/scheduled_changes/', {
          params: { path: { project_id: project }, query: { record_id: String(id), model_name: 'FeatureFlag', limit: 200 } },
          signal,
        }),
      ),
  });

export type ScheduledPayload =
  | { operation: 'update_status'; value: boolean }
  | { operation: 'add_release_condition'; value: { groups: Record<string, unknown>[] } }
  | { operation: 'update_variants'; value: { variants: Record<string, unknown>[]; payloads: Record<string, unknown> } };

/** @param at time of the change, ISO 8601 */
export const scheduleChange = (project: string, id: number, payload: ScheduledPayload, at: string) =>
  unwrap(
    api.POST('/api/environments/{project_id}/scheduled_changes/', {
      params: { path: { project_id: project } },
      body: { record_id: String(id), model_name: 'FeatureFlag', payload: { ...payload }, scheduled_at: at },
    }),
  );

export const cancelChange = (project: string, change: number) =>
  unwrap(
    api.DELETE('/api/environments/{project_id}/scheduled_changes/{id}/', {
      params: { path: { project_id: project, id: change } } as never,
    }),
  );
