import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from './api.js';

/** How many people, or groups of a type, have the properties of a condition. */
export const flagReachQuery = (project: string, properties: readonly unknown[], groupType: number | null) =>
  queryOptions({
    queryKey: ['project', project, 'flag-reach', groupType, properties],
    queryFn: ({ signal }) =>
      unwrap(
        api.POST('/api/environments/{project_id}/feature_flags/user_blast_radius/', {
          params: { path: { project_id: project } },
          body: { condition: { properties }, group_type_index: groupType },
          signal,
        }),
      ),
    staleTime: 60_000,
    retry: false,
  });

/** The value of a saved flag for a person, with each step of the decision. */
export const flagTestQuery = (project: string, id: number, version: number, distinctId: string) =>
  queryOptions({
    queryKey: ['project', project, 'flag-test', id, version, distinctId],
    queryFn: ({ signal }) =>
      unwrap(
        api.POST('/api/environments/{project_id}/feature_flags/{id}/test_evaluation/', {
          params: { path: { project_id: project, id: String(id) } },
          body: { distinct_id: distinctId },
          signal,
        }),
      ),
    enabled: distinctId !== '',
    retry: false,
  });
