import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from './api.js';
import { projectQuery } from './project.js';
import { meQuery } from './session.js';

export type Project = Awaited<ReturnType<typeof resetProjectKey>>;
/** The settings of a project that a request may change. */
export type ProjectFields = Partial<Omit<Project, 'id' | 'api_token' | 'organization'>>;

/** Changes settings of a project. They are shown at once, and those before come back when the service refuses. */
export function useChangeProject(id: string, onRefused: (reason: string) => void) {
  const queries = useQueryClient();
  const { queryKey } = projectQuery(id);
  return useMutation({
    mutationFn: (body: ProjectFields) =>
      unwrap(api.PATCH('/api/projects/{project_id}/', { params: { path: { project_id: id } }, body: body as never })),
    onMutate: async (fields) => {
      await queries.cancelQueries({ queryKey, exact: true });
      const before = queries.getQueryData(queryKey);
      if (before) queries.setQueryData(queryKey, { ...before, ...fields });
      return { before };
    },
    onError: (error, _fields, context) => {
      if (context?.before) queries.setQueryData(queryKey, context.before);
      onRefused(error.message);
    },
    onSuccess: async (project, fields) => {
      queries.setQueryData(queryKey, project);
      // the list of projects in the frame has the name and the time zone
      if (fields.name !== undefined) await queries.invalidateQueries({ queryKey: meQuery.queryKey, exact: true });
    },
  });
}

/** Gives a project a new key; the old one stops at once. */
export const resetProjectKey = (id: string) =>
  unwrap(api.PATCH('/api/projects/{project_id}/reset_token/', { params: { path: { project_id: id } } }));
