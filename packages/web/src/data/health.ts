import { queryOptions } from '@tanstack/react-query';
import type { paths } from '@tidemark/api';
import { api, type Schemas, unwrap } from './api.js';

export type IngestionWarning = Schemas['IngestionWarning'];

/** What takes space, and when disks are full. */
export type Space = NonNullable<paths['/_health']['get']['responses'][200]['content']['application/json']['space']>;

/** How the service is. It is read every 5 s while it is shown. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: async ({ signal }) => {
    const { data, error, response } = await api.GET('/_health', { signal });
    // a service that is not well says so with 503 and the same body
    const health = data ?? (error as unknown as typeof data);
    if (health && 'stores' in health) return health;
    throw new Error(`The service does not say how it is (HTTP ${response.status}).`);
  },
  refetchInterval: 5_000,
});

/** Events of a project that were refused or mended, newest first. */
export const warningsQuery = (project: string, limit: number) =>
  queryOptions({
    queryKey: ['project', project, 'ingestion_warnings', limit],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/ingestion_warnings/', {
          params: { path: { project_id: project }, query: { limit } },
          signal,
        }),
      ),
    refetchInterval: 30_000,
  });
