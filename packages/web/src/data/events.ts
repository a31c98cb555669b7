import { queryOptions } from '@tanstack/react-query';
import type { Filter } from '../query/question.js';
import { ask } from './answer.js';
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

/** Whether an event belongs to the sample data, so that nobody takes it for one of their own. */
export const isSample = ({ properties }: ListedEvent): boolean => properties['$sample'] === true;

/** Whether an event has come in that is no sample data. While none has, it is asked again every 10 s. */
export const ownEventQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'own-event'],
    queryFn: async ({ signal }) => {
      const query = 'select event from events where properties.$sample is null limit 1';
      const { results } = await ask(project, { kind: 'HogQLQuery', query }, 'force_blocking', signal);
      return (results as unknown[]).length > 0;
    },
    refetchInterval: ({ state }) => (state.data === false ? 10_000 : false),
    staleTime: ({ state }) => (state.data ? Number.POSITIVE_INFINITY : 0),
  });

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
  /** What the last half hour looks like, every five seconds. */
  onActivity?: (activity: Schemas['RecentActivity']) => void;
  /** Events that were not sent, because there were too many. */
  onLeftOut?: (count: number) => void;
  /** Whether the stream is connected. */
  onState?: (isOpen: boolean) => void;
}

/** Listens to the events of a project as they are stored. The browser connects again by itself. @returns ends it */
export function listenToEvents(
  project: string,
  { event, properties }: EventsFilter,
  { onEvent, onActivity, onLeftOut, onState }: LiveHandlers,
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
  source.addEventListener('activity', (message) => onActivity?.(read(message)));
  source.addEventListener('left_out', (message) => onLeftOut?.(read(message).count));
  source.addEventListener('end', (message) => {
    if (read(message).reason === 'access_ended') source.close();
    onState?.(false);
  });
  return () => source.close();
}
