import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Filter } from '../query/question.js';
import { ask } from './answer.js';
import { api, unwrap } from './api.js';

/** A person in a list. */
export interface ListedPerson {
  uuid: string;
  name: string;
  properties: Record<string, unknown>;
  is_identified: boolean;
  created_at: string;
}

/** Which people a list has. */
export interface PersonsFilter {
  /** Part of an e-mail address or name, or an id. */
  search: string;
  properties: readonly Filter[];
}

/** How many people a page has: the first is there soon, and the next ones reach far. @param offset people before it */
const pageSize = (offset: number): number => (offset === 0 ? 100 : 500);

/** People, the newest first, in pages. */
export const personListQuery = (project: string, { search, properties }: PersonsFilter) =>
  infiniteQueryOptions({
    queryKey: ['project', project, 'persons', search, properties],
    queryFn: ({ signal, pageParam }) =>
      properties.length > 0
        ? filteredPersons(project, { search, properties }, pageParam, signal)
        : allPersons(project, search, pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: ({ hasMore }, _pages, offset) => (hasMore ? offset + pageSize(offset) : undefined),
  });

interface PersonsPage {
  people: ListedPerson[];
  hasMore: boolean;
}

async function allPersons(project: string, search: string, offset: number, signal: AbortSignal): Promise<PersonsPage> {
  const query = { limit: pageSize(offset), offset, ...(search && { search }) };
  const page = await unwrap(
    api.GET('/api/environments/{project_id}/persons/', { params: { path: { project_id: project }, query } as never, signal }),
  );
  return { people: page.results, hasMore: page.next !== null };
}

/** The list of the API has no filters by properties: a query has. */
async function filteredPersons(
  project: string,
  { search, properties }: PersonsFilter,
  offset: number,
  signal: AbortSignal,
): Promise<PersonsPage> {
  const answer = await ask(
    project,
    { kind: 'ActorsQuery', select: ['actor'], properties, limit: pageSize(offset), offset, ...(search && { search }) },
    'blocking',
    signal,
  );
  const rows = (answer.results ?? []) as [FoundActor][];
  return { people: rows.map(([actor]) => toPerson(actor)), hasMore: answer.hasMore ?? false };
}

interface FoundActor {
  id: string;
  properties?: Record<string, unknown>;
  distinct_ids?: string[];
  is_identified?: boolean;
  created_at: string;
}

function toPerson({ id, properties = {}, distinct_ids = [], is_identified = false, created_at }: FoundActor): ListedPerson {
  const named = [properties['email'], properties['name'], properties['username']].find(
    (one) => typeof one === 'string' && one !== '',
  );
  return { uuid: id, name: typeof named === 'string' ? named : (distinct_ids[0] ?? id), properties, is_identified, created_at };
}

export const personQuery = (project: string, id: string) =>
  queryOptions({
    queryKey: ['project', project, 'person', id],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/persons/{id}/', {
          params: { path: { project_id: project, id } } as never,
          signal,
        }),
      ),
  });

/** One JSON file with everything that is stored about a person. */
export const exportPerson = (project: string, id: string): Promise<Blob> =>
  unwrap(
    api.GET('/api/environments/{project_id}/persons/{id}/export/', {
      params: { path: { project_id: project, id } },
      parseAs: 'blob',
    }),
  );

/** How many events a person has. */
export const personEventCountQuery = (project: string, uuid: string) =>
  queryOptions({
    queryKey: ['project', project, 'person-event-count', uuid],
    queryFn: async ({ signal }): Promise<number> => {
      const query = `select count() from events where person_id = '${uuid}'`;
      const { results } = await ask(project, { kind: 'HogQLQuery', query }, 'blocking', signal);
      const [row] = results as [[number]];
      return row[0];
    },
  });

/** What is deleted with a person. */
export interface DeletionExtent {
  withEvents: boolean;
  withRecordings: boolean;
}

export const deletePerson = (project: string, id: string, { withEvents, withRecordings }: DeletionExtent) =>
  unwrap(
    api.DELETE('/api/environments/{project_id}/persons/{id}/', {
      params: {
        path: { project_id: project, id },
        query: { delete_events: withEvents, delete_recordings: withRecordings },
      } as never,
    }),
  );

/** Makes the lists and counts of people and the lists of their recordings load anew. */
export async function refreshPersons(queries: QueryClient, project: string): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['project', project, 'persons'] });
  await queries.invalidateQueries({ queryKey: ['project', project, 'cohort-count'] });
  await queries.invalidateQueries({ queryKey: ['project', project, 'recordings'] });
}

const EVENTS_PAGE = 100;

/** Which events of a person are listed. */
export interface TimelineFilter {
  /** Name of the events; null: all. */
  event: string | null;
  properties: readonly Filter[];
}

/** Events of a person, the latest first, in pages of 100. */
export const personTimelineQuery = (project: string, id: string, { event, properties }: TimelineFilter) =>
  infiniteQueryOptions({
    queryKey: ['project', project, 'person-events', id, event, properties],
    queryFn: ({ signal, pageParam }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/events/', {
          params: {
            path: { project_id: project },
            query: {
              person_id: id,
              limit: EVENTS_PAGE,
              after: 'all',
              ...(pageParam && { before: pageParam }),
              ...(event !== null && { event }),
              ...(properties.length > 0 && { properties: JSON.stringify(properties) }),
            } as never,
          },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ results }) => (results.length === EVENTS_PAGE ? (results.at(-1)?.timestamp ?? undefined) : undefined),
  });

/** The value of every flag for a person, with the reason. */
export const personFlagsQuery = (project: string, distinctId: string) =>
  queryOptions({
    queryKey: ['project', project, 'person-flags', distinctId],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/feature_flags/evaluation_reasons/', {
          params: { path: { project_id: project }, query: { distinct_id: distinctId } as never },
          signal,
        }),
      ),
    enabled: distinctId !== '',
  });

/** Each step by which a flag got its value for a person. @param flag its key */
export const personFlagStepsQuery = (project: string, flag: string, distinctId: string) =>
  queryOptions({
    queryKey: ['project', project, 'person-flag-steps', flag, distinctId],
    queryFn: ({ signal }) =>
      unwrap(
        api.POST('/api/environments/{project_id}/feature_flags/{id}/test_evaluation/', {
          params: { path: { project_id: project, id: flag } },
          body: { distinct_id: distinctId },
          signal,
        }),
      ),
    retry: false,
  });
