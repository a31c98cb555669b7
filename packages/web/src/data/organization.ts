import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from './api.js';

export type Organization = Schemas['Organization'];

const at = (id: string) => ({ params: { path: { organization_id: id } } });

/** One organization with the projects that the person may see. @param id UUID */
export const organizationQuery = (id: string) =>
  queryOptions({
    queryKey: ['organization', id],
    queryFn: ({ signal }) => unwrap(api.GET('/api/organizations/{organization_id}/', { ...at(id), signal })),
  });

export const changeOrganization = (id: string, body: { name?: string; allow_publicly_shared_resources?: boolean }) =>
  unwrap(api.PATCH('/api/organizations/{organization_id}/', { ...at(id), body: body as never }));

export const createProject = (organization: string, name: string) =>
  unwrap(api.POST('/api/organizations/{organization_id}/projects/', { ...at(organization), body: { name } }));

/** Deletes a project with everything in it. */
export const deleteProject = (id: number) =>
  unwrap(api.DELETE('/api/projects/{project_id}/', { params: { path: { project_id: String(id) } } }));

/** Ends the membership of the person who is logged in. */
export const leaveOrganization = (id: string) =>
  unwrap(
    api.DELETE('/api/organizations/{organization_id}/members/{user_uuid}/', {
      params: { path: { organization_id: id, user_uuid: '@me' } },
    }),
  );
