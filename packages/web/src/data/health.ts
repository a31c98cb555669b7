import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from './api.js';

export type IngestionWarning = Schemas['IngestionWarning'];

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

/** What an ingestion warning means, and what to do. Unknown types are shown by their name. */
const WARNINGS: Record<string, string> = {
  message_size_too_large: 'An event was too large and was not stored',
  replay_message_too_large: 'A piece of a recording was too large and was not stored',
  event_timestamp_in_future: 'An event is from the future: the clock of its sender is wrong. It was stored with that time',
  ignored_invalid_timestamp: 'An event had no valid time; it was stored with the time of its arrival',
  cannot_merge_already_identified: 'Two people were not merged, because both were identified before',
  cannot_merge_with_illegal_distinct_id: 'People were not merged, because the id is one that many share, such as "null"',
  invalid_event_when_process_person_profile_is_false: 'An event that is about a person came without person processing',
  client_ingestion_warning: 'An SDK reported that it left events out',
};

export const warningText = (type: string): string =>
  WARNINGS[type] ?? type.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase());
