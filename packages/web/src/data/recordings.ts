import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { DateRange } from '../address/date-range.js';
import { api, type Schemas, unwrap } from './api.js';

export type Recording = Schemas['SessionRecording'];

export const RECORDING_ORDERS = [
  { order: 'start_time', label: 'Latest first' },
  { order: 'recording_duration', label: 'Longest first' },
  { order: 'activity_score', label: 'Most active first' },
  { order: 'console_error_count', label: 'Most errors first' },
] as const;

export type RecordingOrder = (typeof RECORDING_ORDERS)[number]['order'];

/** What a list of recordings is limited to, and how it is ordered. */
export interface RecordingFilter {
  range: DateRange;
  /** Part of an address that was seen; empty: any. */
  address: string;
  /** Name of an event that was captured meanwhile; null: any. */
  event: string | null;
  /** Seconds at least; 0: any. */
  seconds: number;
  order: RecordingOrder;
}

const PAGE = 100;

const read = (project: string, query: Record<string, unknown>, signal: AbortSignal) =>
  unwrap(
    api.GET('/api/environments/{project_id}/session_recordings/', {
      params: { path: { project_id: project }, query: { limit: PAGE, ...query } as never },
      signal,
    }),
  );

/** The recordings that match, in pages of 100. */
export const recordingsQuery = (project: string, { range, address, event, seconds, order }: RecordingFilter) => {
  const query = {
    date_from: range.from,
    ...(range.to && { date_to: range.to }),
    ...(address && { url: address }),
    ...(event && { events: JSON.stringify([event]) }),
    ...(seconds > 0 && { min_duration: String(seconds) }),
    order,
  };
  return infiniteQueryOptions({
    queryKey: ['project', project, 'recordings', query],
    queryFn: ({ signal, pageParam }) => read(project, { ...query, offset: pageParam }, signal),
    initialPageParam: 0,
    getNextPageParam: ({ has_next: hasNext }, _pages, offset) => (hasNext ? offset + PAGE : undefined),
  });
};

/** All recordings of one person, the latest first, 100 at most. */
export const recordingsOfPersonQuery = (project: string, person: string) =>
  queryOptions({
    queryKey: ['project', project, 'recordings', 'of-person', person],
    queryFn: ({ signal }) => read(project, { person_uuid: person, date_from: 'all' }, signal),
  });
