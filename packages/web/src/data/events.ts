import { queryOptions } from '@tanstack/react-query';
import type { Filter } from '../query/question.js';
import { api, type Schemas, unwrap } from './api.js';

/** An event of a list or of the live stream. */
export interface ListedEvent {
  uuid: string;
  event: string;
  distinctId: string;
  personId: string | null;
  timestamp: string;
  properties: Record<string, unknown>;
  /** Properties of the person, where the list has them. */
  personProperties: Record<string, unknown> | null;
}

/** What a list of events is limited to. */
export interface EventsFilter {
  /** Name of the events; null: all. */
  event: string | null;
  properties: readonly Filter[];
}

export const EVENTS_PAGE = 100;

/** A page of events, the latest first. @param before only earlier ones; ISO date-time */
export async function fetchEvents(
  project: string,
  { event, properties }: EventsFilter,
  before: string | null,
  signal?: AbortSignal,
): Promise<ListedEvent[]> {
  const page = await unwrap(
    api.GET('/api/environments/{project_id}/events/', {
      params: {
        path: { project_id: project },
        query: {
          limit: EVENTS_PAGE,
          ...(event !== null && { event }),
          ...(properties.length > 0 && { properties: JSON.stringify(properties) }),
          ...(before && { before }),
        } as never,
      },
      ...(signal && { signal }),
    }),
  );
  return page.results.map((one: Schemas['Event']) => ({
    uuid: one.id,
    event: one.event,
    distinctId: one.distinct_id,
    personId: one.person.uuid,
    timestamp: one.timestamp,
    properties: one.properties,
    personProperties: one.person.properties,
  }));
}

/** How many events and people were there in the last half hour. */
export const activityQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'activity'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/environments/{project_id}/live/activity/', { params: { path: { project_id: project } }, signal })),
    refetchInterval: 30_000,
  });

/** What a live stream reports. */
export interface LiveHandlers {
  onEvent: (event: ListedEvent) => void;
  /** Events that were not sent, because there were too many. */
  onLeftOut?: (count: number) => void;
  /** Whether the stream is connected. */
  onState?: (isOpen: boolean) => void;
}

/** Listens to the events of a project as they are stored. The browser connects again by itself. @returns ends it */
export function listenToEvents(
  project: string,
  { event, properties }: EventsFilter,
  { onEvent, onLeftOut, onState }: LiveHandlers,
): () => void {
  const search = new URLSearchParams({
    ...(event !== null && { event }),
    ...(properties.length > 0 && { properties: JSON.stringify(properties) }),
  });
  const source = new EventSource(`/api/projects/${project}/live/?${search}`);
  const read = (message: Event) => JSON.parse((message as MessageEvent<string>).data);
  source.addEventListener('open', () => onState?.(true));
  source.addEventListener('error', () => onState?.(false));
  source.addEventListener('event', (message) => {
    const { uuid, event: name, distinct_id, person_id, timestamp, properties: sent } = read(message);
    onEvent({
      uuid,
      event: name,
      distinctId: distinct_id,
      personId: person_id,
      timestamp,
      properties: sent,
      personProperties: null,
    });
  });
  source.addEventListener('left_out', (message) => onLeftOut?.(read(message).count));
  source.addEventListener('end', (message) => {
    if (read(message).reason === 'access_ended') source.close();
    onState?.(false);
  });
  return () => source.close();
}
