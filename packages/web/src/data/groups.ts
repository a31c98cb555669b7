import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from './api.js';

export type Group = Schemas['Group'];
export type GroupType = Schemas['GroupType'];

const path = (project: string) => ({ path: { project_id: project } });
const groupKey = (project: string, type: number, key: string) => ['project', project, 'group', type, key];

/** The types of groups that events of the project name. */
export const groupTypesQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'group-types'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/environments/{project_id}/groups_types/', { params: path(project), signal })),
    staleTime: 60_000,
  });

/** What one group of a type, and several, are called. */
export const oneOf = ({ name_singular: name, group_type: type }: GroupType): string => name || type;
export const manyOf = ({ name_plural: name, group_type: type }: GroupType): string => name || `${type} groups`;

/** The name of a group: its property `name`, or its key. */
export function groupLabel(key: string, properties: Record<string, unknown> | null): string {
  const name = properties?.['name'];
  return typeof name === 'string' && name !== '' ? name : key;
}

/** The address of a group below the project. */
export const groupPath = ({ group_type_index: type, group_key: key }: Pick<Group, 'group_type_index' | 'group_key'>): string =>
  `/groups/${type}/${encodeURIComponent(key)}`;

/** Groups of a type, the newest first, in pages of 100. */
export const groupListQuery = (project: string, type: number, search: string) =>
  infiniteQueryOptions({
    queryKey: ['project', project, 'groups', type, search],
    queryFn: ({ signal, pageParam }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/groups/', {
          params: {
            ...path(project),
            query: { group_type_index: type, ...(search && { search }), ...(pageParam && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }) => (next && new URL(next, location.origin).searchParams.get('cursor')) || undefined,
  });

export const groupQuery = (project: string, type: number, key: string) =>
  queryOptions({
    queryKey: groupKey(project, type, key),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/groups/find/', {
          params: { ...path(project), query: { group_type_index: type, group_key: key } },
          signal,
        }),
      ),
  });

/** People and groups that occur in events together with a person, or with a group of a type. */
export const relatedQuery = (project: string, { id, type }: { id: string; type?: number }) =>
  queryOptions({
    queryKey: ['project', project, 'related', id, type],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/groups/related/', {
          params: { ...path(project), query: { id, ...(type !== undefined && { group_type_index: type }) } },
          signal,
        }),
      ),
  });

/** Events that name a group, the latest first. */
export const groupEventsQuery = (project: string, type: number, key: string) =>
  queryOptions({
    queryKey: ['project', project, 'group-events', type, key],
    queryFn: ({ signal }) => {
      const properties = JSON.stringify([groupFilter(type, key)]);
      return unwrap(
        api.GET('/api/environments/{project_id}/events/', {
          params: { ...path(project), query: { properties, after: '-90d', limit: 100 } as never },
          signal,
        }),
      );
    },
  });

/** The filter of events that name a group. */
export const groupFilter = (type: number, key: string) => ({
  type: 'event' as const,
  key: `$group_${type}`,
  operator: 'exact',
  value: [key],
});

export async function renameGroupType(
  queries: QueryClient,
  project: string,
  type: number,
  names: { name_singular: string | null; name_plural: string | null },
): Promise<void> {
  const types = await unwrap(
    api.PATCH('/api/environments/{project_id}/groups_types/update_metadata/', {
      params: path(project),
      body: [{ group_type_index: type, ...names }],
    }),
  );
  queries.setQueryData(groupTypesQuery(project).queryKey, types);
}

type Place = Pick<Group, 'group_type_index' | 'group_key'>;

/** Sets a property of a group, or takes it away (`undefined`). */
export async function setGroupProperty(
  queries: QueryClient,
  project: string,
  { group_type_index: type, group_key: key }: Place,
  name: string,
  value: unknown,
): Promise<void> {
  const params = { ...path(project), query: { group_type_index: type, group_key: key } };
  if (value === undefined)
    await unwrap(api.POST('/api/environments/{project_id}/groups/delete_property/', { params, body: { $unset: name } }));
  else
    await unwrap(
      api.POST('/api/environments/{project_id}/groups/update_property/', { params, body: { key: name, value } as never }),
    );
  await queries.invalidateQueries({ queryKey: groupKey(project, type, key) });
  await queries.invalidateQueries({ queryKey: ['project', project, 'groups'] });
}
