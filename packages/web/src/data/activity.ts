import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from './api.js';

/** An entry of the log: who changed what, and when. */
export type LogEntry = Schemas['Activity'];

/** Which entries a page of the log has. */
export interface LogFilter {
  /** Kind of object, such as `Dashboard`. */
  scope?: string;
  /** UUID of the user who did it. */
  user?: string;
  /** Dates as queries have them: `-7d`, `2026-03-01`. */
  from?: string;
  to?: string;
}

export const LOG_PAGE = 100;

/** A page of the log of a project, the latest first. @param page from 1 */
export const activityLogQuery = (project: string, { scope, user, from, to }: LogFilter, page: number) =>
  queryOptions({
    queryKey: ['project', project, 'activity-log', { scope, user, from, to }, page],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/activity_log/', {
          params: {
            path: { project_id: project },
            query: {
              limit: LOG_PAGE,
              offset: (page - 1) * LOG_PAGE,
              ...(scope && { scope }),
              ...(user && { user }),
              ...(from && { date_from: from }),
              ...(to && { date_to: to }),
            },
          },
          signal,
        }),
      ),
  });
