import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from './api.js';

/** What can be shared by a link. */
export type Shared = { kind: 'dashboard' | 'insight'; id: number } | { kind: 'session_recording'; id: string };

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

/** The collection of each kind in paths, and the parameter of its id. */
const PLACES = {
  dashboard: ['dashboards', 'dashboard_id'],
  insight: ['insights', 'insight_id'],
  session_recording: ['session_recordings', 'recording_id'],
} as const;

/** The paths of the kinds differ by their collection and the name of their parameter alone. */
function pathsOf(project: string, { kind, id }: Shared) {
  const [collection, parameter] = PLACES[kind];
  const sharing = `/api/environments/{project_id}/${collection}/{${parameter}}/sharing/`;
  return {
    sharing,
    refresh: `${sharing}refresh/`,
    audience: `${sharing}audience/`,
    passwords: `${sharing}passwords/`,
    password: `${sharing}passwords/{password_id}/`,
    path: { project_id: project, [parameter]: id },
  };
}

export const sharingQuery = (project: string, shared: Shared) =>
  queryOptions({
    queryKey: ['project', project, 'sharing', shared],
    queryFn: ({ signal }): Promise<Sharing> => {
      const { sharing, path } = pathsOf(project, shared);
      return unwrap(api.GET(sharing as never, { params: { path }, signal } as never)) as Promise<Sharing>;
    },
  });

export type Audience = Schemas['Audience'];

/** A change of sharing that is thought of, or none. */
export interface AudienceChange {
  enabled?: boolean;
  password_required?: boolean;
  /** UUID of a user who would become a collaborator. */
  collaborator?: string;
  restriction_level?: number;
}

/** Who sees it now, and who would after a change. Only for people who may share it. */
export const audienceQuery = (project: string, shared: Shared, change: AudienceChange = {}) =>
  queryOptions({
    queryKey: ['project', project, 'audience', shared, change],
    queryFn: ({ signal }): Promise<Audience> => {
      const { audience, path } = pathsOf(project, shared);
      return unwrap(api.GET(audience as never, { params: { path, query: change }, signal } as never)) as Promise<Audience>;
    },
    retry: false,
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

/** Reads everything of the project again after a change of sharing, and lets no answer from before the change arrive after it. */
export async function refreshSharing(queries: QueryClient, project: string): Promise<void> {
  // invalidation alone does not repeat the first request of a query while it runs
  await queries.cancelQueries({ queryKey: ['project', project, 'audience'] });
  await queries.invalidateQueries({ queryKey: ['project', project] });
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
