import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from './api.js';

/** What can be shared by a link. */
export type Shared = { kind: 'dashboard' | 'insight'; id: number };

export type Sharing = Schemas['SharingConfiguration'];

export interface ShareSettings {
  whitelabel?: boolean;
  noHeader?: boolean;
  legend?: boolean;
  detailed?: boolean;
  hideExtraDetails?: boolean;
  dateRange?: boolean;
  downloads?: boolean;
  theme?: 'light' | 'dark' | 'system' | null;
}

/** Paths of the two kinds differ by the name of their parameter alone. */
const pathsOf = (project: string, { kind, id }: Shared) =>
  kind === 'dashboard'
    ? ({
        sharing: '/api/environments/{project_id}/dashboards/{dashboard_id}/sharing/',
        refresh: '/api/environments/{project_id}/dashboards/{dashboard_id}/sharing/refresh/',
        passwords: '/api/environments/{project_id}/dashboards/{dashboard_id}/sharing/passwords/',
        password: '/api/environments/{project_id}/dashboards/{dashboard_id}/sharing/passwords/{password_id}/',
        path: { project_id: project, dashboard_id: id },
      } as const)
    : ({
        sharing: '/api/environments/{project_id}/insights/{insight_id}/sharing/',
        refresh: '/api/environments/{project_id}/insights/{insight_id}/sharing/refresh/',
        passwords: '/api/environments/{project_id}/insights/{insight_id}/sharing/passwords/',
        password: '/api/environments/{project_id}/insights/{insight_id}/sharing/passwords/{password_id}/',
        path: { project_id: project, insight_id: id },
      } as const);

export const sharingQuery = (project: string, shared: Shared) =>
  queryOptions({
    queryKey: ['project', project, 'sharing', shared],
    queryFn: ({ signal }): Promise<Sharing> => {
      const { sharing, path } = pathsOf(project, shared);
      return unwrap(api.GET(sharing as never, { params: { path }, signal } as never)) as Promise<Sharing>;
    },
  });

export interface SharingFields {
  enabled?: boolean;
  settings?: ShareSettings;
  password_required?: boolean;
}

export function updateSharing(project: string, shared: Shared, fields: SharingFields): Promise<Sharing> {
  const { sharing, path } = pathsOf(project, shared);
  return unwrap(api.PATCH(sharing as never, { params: { path }, body: fields } as never)) as Promise<Sharing>;
}

/** Gives the public page another address; the one before opens nothing any more. */
export function rotateLink(project: string, shared: Shared): Promise<Sharing> {
  const { refresh, path } = pathsOf(project, shared);
  return unwrap(api.POST(refresh as never, { params: { path } } as never)) as Promise<Sharing>;
}

/** @returns the password, which is shown this once */
export async function addPassword(project: string, shared: Shared, note: string): Promise<string> {
  const { passwords, path } = pathsOf(project, shared);
  const made = (await unwrap(api.POST(passwords as never, { params: { path }, body: { note } } as never))) as {
    password: string;
  };
  return made.password;
}

export function removePassword(project: string, shared: Shared, id: number): Promise<unknown> {
  const { password, path } = pathsOf(project, shared);
  return unwrap(api.DELETE(password as never, { params: { path: { ...path, password_id: id } } } as never));
}

const COLLABORATORS = '/api/environments/{project_id}/dashboards/{dashboard_id}/collaborators/';

/** Who may view or edit a dashboard while it is restricted. */
export const collaboratorsQuery = (project: string, dashboard: number) =>
  queryOptions({
    queryKey: ['project', project, 'collaborators', dashboard],
    queryFn: ({ signal }) =>
      unwrap(api.GET(COLLABORATORS, { params: { path: { project_id: project, dashboard_id: dashboard } }, signal })),
  });

export const addCollaborator = (project: string, dashboard: number, user: string, level: 21 | 37) =>
  unwrap(
    api.POST(COLLABORATORS, {
      params: { path: { project_id: project, dashboard_id: dashboard } },
      body: { user_uuid: user, level },
    }),
  );

export const removeCollaborator = (project: string, dashboard: number, user: string) =>
  unwrap(
    api.DELETE('/api/environments/{project_id}/dashboards/{dashboard_id}/collaborators/{user__uuid}/', {
      params: { path: { project_id: project, dashboard_id: dashboard, user__uuid: user } },
    }),
  );

/** Members of the organization, to choose collaborators from. */
export const memberNamesQuery = () =>
  queryOptions({
    queryKey: ['members'],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/organizations/{organization_id}/members/', {
          params: { path: { organization_id: '@current' }, query: { limit: 500 } },
          signal,
        }),
      ),
    staleTime: 60_000,
  });
