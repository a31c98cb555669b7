import { isoTime } from '../../http/dates.js';
import type { QueryResult } from '../kinds/list.js';
import type { RunRow } from './run-store.js';

/** State of a background run, as clients poll it. */
export interface QueryStatus {
  id: string;
  team_id: number;
  query_async: true;
  complete: boolean;
  error: boolean;
  error_message: string | null;
  /** null until the run has ended. */
  results: QueryResult | null;
  start_time: string;
  end_time: string | null;
  expiration_time: string;
}

/** Milliseconds after its start for which the result of a run can be fetched. */
export const RETENTION_MS = 20 * 60 * 1000;

const SERVER_DIED = 'The server that computed this is gone. Ask again.';

/** The state of a run at a time (epoch milliseconds). A run whose lease has expired counts as failed. */
export function statusOf(projectId: number, row: RunRow, now: number): QueryStatus {
  const isOrphan = row.ended_at === null && row.leased_until.getTime() < now;
  const endedAt = isOrphan ? row.leased_until : row.ended_at;
  const message = isOrphan ? SERVER_DIED : row.error_message;
  return {
    id: row.name,
    team_id: projectId,
    query_async: true,
    complete: endedAt !== null,
    error: message !== null,
    error_message: message,
    results: row.results === null ? null : JSON.parse(row.results),
    start_time: isoTime(row.started_at),
    end_time: endedAt && isoTime(endedAt),
    expiration_time: isoTime(new Date(row.started_at.getTime() + RETENTION_MS)),
  };
}
