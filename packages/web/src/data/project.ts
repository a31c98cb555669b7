import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from './api.js';

/** One project with its settings. @param id number of the project, as in the address */
export const projectQuery = (id: string) =>
  queryOptions({
    queryKey: ['project', id],
    queryFn: ({ signal }) => unwrap(api.GET('/api/projects/{project_id}/', { params: { path: { project_id: id } }, signal })),
    staleTime: 60_000,
  });

export const renameProject = (id: string, name: string) =>
  unwrap(api.PATCH('/api/projects/{project_id}/', { params: { path: { project_id: id } }, body: { name } }));
