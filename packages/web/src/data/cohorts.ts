import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { toast } from '../ui/toast.js';
import { api, type Schemas, unwrap } from './api.js';

/** The client drops fields that are always null. */
export type Cohort = Omit<Schemas['Cohort'], 'query'>;

/** Which cohorts a list has. */
export interface CohortFilter {
  /** Part of the name or description. */
  search?: string;
  type?: 'static' | 'dynamic';
}

/** Fields of a cohort that a request may set. */
export interface CohortFields {
  name?: string;
  description?: string;
  filters?: Record<string, unknown>;
  is_static?: boolean;
  deleted?: boolean;
  /** People of a static cohort as the text of a CSV file. */
  csv?: string;
}

const PAGE = 100;
const path = (project: string) => ({ project_id: project });
const within = (project: string, id: number) => ({ path: { project_id: project, id: String(id) } });
const cohortKey = (project: string, id: number) => ['project', project, 'cohort', id];

/** Cohorts, the newest first, in pages of 100. */
export const cohortListQuery = (project: string, { search, type }: CohortFilter) =>
  infiniteQueryOptions({
    queryKey: ['project', project, 'cohorts', { search, type }],
    queryFn: ({ signal, pageParam }) => {
      const query = { limit: PAGE, offset: pageParam, ...(search && { search }), ...(type && { type }) };
      return unwrap(api.GET('/api/environments/{project_id}/cohorts/', { params: { path: path(project), query }, signal }));
    },
    initialPageParam: 0,
    getNextPageParam: ({ next }, _pages, offset) => (next ? offset + PAGE : undefined),
  });

export const cohortQuery = (project: string, id: number) =>
  queryOptions({
    queryKey: cohortKey(project, id),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/environments/{project_id}/cohorts/{id}/', { params: within(project, id), signal })),
  });

/** People in a cohort, the newest first, in pages of 100. */
export const cohortPeopleQuery = (project: string, id: number, version: number) =>
  infiniteQueryOptions({
    queryKey: [...cohortKey(project, id), 'people', version],
    queryFn: ({ signal, pageParam }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/cohorts/{id}/persons/', {
          params: { ...within(project, id), query: { limit: PAGE, offset: pageParam } },
          signal,
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: ({ next }, _pages, offset) => (next ? offset + PAGE : undefined),
  });

/** How many people conditions hold for. @param filters as a cohort has them */
export const cohortCountQuery = (project: string, filters: Record<string, unknown> | null) =>
  queryOptions({
    queryKey: ['project', project, 'cohort-count', filters],
    queryFn: ({ signal }) =>
      unwrap(
        api.POST('/api/environments/{project_id}/cohorts/count/', {
          params: { path: path(project) },
          body: { filters: filters ?? {} },
          signal,
        }),
      ),
    enabled: filters !== null,
    staleTime: 30_000,
    retry: false,
  });

/** The flags and cohorts that use a cohort. */
export const cohortUsersQuery = (project: string, id: number) =>
  queryOptions({
    queryKey: [...cohortKey(project, id), 'used-by'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/environments/{project_id}/cohorts/{id}/used_by/', { params: within(project, id), signal })),
  });

export const createCohort = (project: string, fields: CohortFields) =>
  unwrap(api.POST('/api/environments/{project_id}/cohorts/', { params: { path: path(project) }, body: fields as never }));

export const updateCohort = (project: string, id: number, fields: CohortFields) =>
  unwrap(api.PATCH('/api/environments/{project_id}/cohorts/{id}/', { params: within(project, id), body: fields as never }));

/** Makes a cohort with the conditions or the people of another. */
export const duplicateCohort = (project: string, id: number) =>
  unwrap(api.POST('/api/environments/{project_id}/cohorts/{id}/duplicate/', { params: within(project, id), body: {} }));

/** @param ids distinct ids or UUIDs; who is unknown is left out */
export const addToCohort = (project: string, id: number, ids: string[]) =>
  unwrap(
    api.PATCH('/api/environments/{project_id}/cohorts/{id}/add_persons_to_static_cohort/', {
      params: within(project, id),
      body: { person_ids: ids },
    }),
  );

export const removeFromCohort = (project: string, id: number, person: string) =>
  unwrap(
    api.PATCH('/api/environments/{project_id}/cohorts/{id}/remove_person_from_static_cohort/', {
      params: within(project, id),
      body: { person_id: person },
    }),
  );

/** Makes a cohort, its people and the lists load anew. */
export async function refreshCohort(queries: QueryClient, project: string, id: number): Promise<void> {
  await queries.invalidateQueries({ queryKey: cohortKey(project, id) });
  await queries.invalidateQueries({ queryKey: ['project', project, 'cohorts'] });
}

/** Deletes a cohort. A toast offers to undo it. @throws ApiFailure when flags or cohorts use it */
export async function deleteCohort(queries: QueryClient, project: string, { id, name }: Cohort): Promise<void> {
  await updateCohort(project, id, { deleted: true });
  const refresh = () => queries.invalidateQueries({ queryKey: ['project', project, 'cohorts'] });
  queries.removeQueries({ queryKey: cohortKey(project, id) });
  await refresh();
  const label = name || `Cohort ${id}`;
  const restore = () =>
    updateCohort(project, id, { deleted: false }).then(refresh, ({ message }: Error) =>
      toast(`${label} stays deleted: ${message}`),
    );
  toast(`${label} is deleted.`, { label: 'Undo', onPress: () => void restore() });
}
