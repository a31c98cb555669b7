import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { ask } from './answer.js';
import { api, unwrap } from './api.js';

/** A person, group or session behind a number. */
export interface Actor {
  type: 'person' | 'group' | 'session' | 'value';
  id: string;
  /** E-mail or name of the person, or the id by which they were captured. */
  label: string;
  properties: Record<string, unknown>;
}

export const ACTORS_PAGE = 100;

/** What an actors query lists, as the API takes it; see `query/people-behind.ts`. */
type Source = Record<string, unknown>;

/** The people behind a number. @param search part of their name, e-mail or id */
export const actorsQuery = (project: string, source: Source, search: string) =>
  queryOptions({
    queryKey: ['project', project, 'actors', source, search],
    queryFn: async ({ signal }) => {
      const question = { kind: 'ActorsQuery', source, select: ['actor'], limit: ACTORS_PAGE, ...(search && { search }) };
      const answer = await ask(project, question, 'blocking', signal);
      const rows = (answer.results ?? []) as RawActor[][];
      return { people: rows.flatMap(([actor]) => (actor ? [toActor(actor)] : [])), hasMore: answer.hasMore ?? false };
    },
  });

/** People that a cohort takes at most: all that the API lists at once. */
const MAX_PEOPLE = 50_000;

/** Creates a cohort of the people who are behind a number now. Resolves with its number, and how many are in it. */
export async function saveAsCohort(
  queries: QueryClient,
  project: string,
  { name, source, search }: { name: string; source: Source; search: string },
): Promise<{ id: number; count: number; isCut: boolean }> {
  const question = { kind: 'ActorsQuery', source, select: ['id'], limit: MAX_PEOPLE, ...(search && { search }) };
  const answer = await ask(project, question, 'blocking');
  const ids = ((answer.results ?? []) as string[][]).flatMap(([id]) => id ?? []);
  const { id } = await unwrap(
    api.POST('/api/environments/{project_id}/cohorts/', {
      params: { path: { project_id: project } },
      body: { name, is_static: true, _create_static_person_ids: ids } as never,
    }),
  );
  await queries.invalidateQueries({ queryKey: ['project', project, 'cohorts'] });
  return { id, count: ids.length, isCut: answer.hasMore ?? false };
}

interface RawActor {
  type?: Actor['type'];
  id: string;
  group_key?: string;
  distinct_ids?: string[];
  properties?: Record<string, unknown>;
}

function toActor({ type = 'person', id, distinct_ids = [], properties = {} }: RawActor): Actor {
  const named = [properties['email'], properties['name'], properties['username']].find(
    (one) => typeof one === 'string' && one !== '',
  );
  return { type, id, label: typeof named === 'string' ? named : (distinct_ids[0] ?? id), properties };
}
