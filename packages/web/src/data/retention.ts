import { queryOptions } from '@tanstack/react-query';
import type { operations } from '@tidemark/api';
import { api, type Schemas, unwrap } from './api.js';

export type RetentionPreview = Schemas['RetentionPreview'];

/** Settings of retention to try out. */
export type TriedRetention = NonNullable<operations['retention_retrieve']['parameters']['query']>;

/** What settings of retention would delete now. @param tried those that differ from the project's; none: what the project's are about to delete */
export const retentionQuery = (project: string, tried: TriedRetention = {}) =>
  queryOptions({
    queryKey: ['project', project, 'retention', tried],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/retention/', {
          params: { path: { project_id: project }, query: tried },
          signal,
        }),
      ),
  });
