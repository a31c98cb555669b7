import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from './api.js';

export type Member = Schemas['OrganizationMember'];
export type Invite = Schemas['Invite'];
export type Role = Schemas['Role'];
export type ExplicitMember = Schemas['ExplicitMember'];
export type AccessRule = Schemas['AccessRule'];
/** Level of a membership: member, administrator, owner. */
export type Level = 1 | 8 | 15;

const ALL = { limit: 1_000 };
const within = (organization_id: string) => ({ path: { organization_id } });

/** Everybody in an organization; administrators see deactivated members, too. */
export const membersQuery = (organization: string) =>
  queryOptions({
    queryKey: ['organization', organization, 'members'],
    queryFn: async ({ signal }) => {
      const params = { ...within(organization), query: ALL };
      return (await unwrap(api.GET('/api/organizations/{organization_id}/members/', { params, signal }))).results;
    },
  });

/** Open invites. For administrators only: the id of an invite is enough to join. */
export const invitesQuery = (organization: string) =>
  queryOptions({
    queryKey: ['organization', organization, 'invites'],
    queryFn: async ({ signal }) => {
      const params = { ...within(organization), query: ALL };
      return (await unwrap(api.GET('/api/organizations/{organization_id}/invites/', { params, signal }))).results;
    },
  });

export const rolesQuery = (organization: string) =>
  queryOptions({
    queryKey: ['organization', organization, 'roles'],
    queryFn: async ({ signal }) => {
      const params = { ...within(organization), query: ALL };
      return (await unwrap(api.GET('/api/organizations/{organization_id}/roles/', { params, signal }))).results;
    },
  });

/** Who is named as a member of one project. It matters while the project is closed. */
export const explicitMembersQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'explicit_members'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/environments/{project_id}/explicit_members/', { params: { path: { project_id: project } }, signal })),
  });

/** The rules about access to a project. */
export const projectRulesQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'access_controls'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/environments/{project_id}/access_controls/', { params: { path: { project_id: project } }, signal })),
  });

/** The rules about all objects of a kind in a project. */
export const resourceRulesQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'resource_access_controls'],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/resource_access_controls/', {
          params: { path: { project_id: project } },
          signal,
        }),
      ),
  });

export interface InviteFields {
  target_email: string;
  first_name?: string;
  level?: Level;
  private_project_access?: { id: number; level: 1 | 8 }[];
}

export const invite = (organization: string, body: InviteFields) =>
  unwrap(api.POST('/api/organizations/{organization_id}/invites/', { params: within(organization), body }));

export const takeInviteBack = (organization: string, id: string) =>
  unwrap(
    api.DELETE('/api/organizations/{organization_id}/invites/{invite_id}/', {
      params: { path: { organization_id: organization, invite_id: id } },
    }),
  );

/** Changes a level, or switches a member off and on. */
export const changeMember = (organization: string, user: string, body: { level?: Level; is_active?: boolean }) =>
  unwrap(
    api.PATCH('/api/organizations/{organization_id}/members/{user_uuid}/', {
      params: { path: { organization_id: organization, user_uuid: user } },
      body,
    }),
  );

/** Removes a member for good, with the keys and sessions that nothing else needs. */
export const removeMember = (organization: string, user: string) =>
  unwrap(
    api.DELETE('/api/organizations/{organization_id}/members/{user_uuid}/', {
      params: { path: { organization_id: organization, user_uuid: user } },
    }),
  );

/** Names a user as a member of a closed project, changes their level there, or (null) no longer names them. */
export async function setExplicitLevel(project: string, user: string, before: ExplicitMember | null, level: 1 | 8 | null) {
  const path = { project_id: project };
  const one = { path: { project_id: project, parent_membership__user__uuid: user } };
  if (level === null) {
    if (before)
      await unwrap(
        api.DELETE('/api/environments/{project_id}/explicit_members/{parent_membership__user__uuid}/', { params: one }),
      );
    return;
  }
  if (before) {
    const url = '/api/environments/{project_id}/explicit_members/{parent_membership__user__uuid}/';
    await unwrap(api.PATCH(url, { params: one, body: { level } }));
  } else
    await unwrap(
      api.POST('/api/environments/{project_id}/explicit_members/', { params: { path }, body: { user_uuid: user, level } }),
    );
}

/** Whom a rule is for: a membership, a role, or (neither) everybody. */
export interface RuleSubject {
  organization_member?: string | null;
  role?: string | null;
}

/** Creates or changes a rule about access to a project; the level null removes it. */
export const putProjectRule = (project: string, subject: RuleSubject, level: string | null) =>
  unwrap(
    api.PUT('/api/environments/{project_id}/access_controls/', {
      params: { path: { project_id: project } },
      body: { ...subject, access_level: level } as never,
    }),
  );

/** Creates or changes a rule about all objects of a kind; the level null removes it. */
export const putResourceRule = (project: string, resource: string, subject: RuleSubject, level: string | null) =>
  unwrap(
    api.PUT('/api/environments/{project_id}/resource_access_controls/', {
      params: { path: { project_id: project } },
      body: { ...subject, resource, access_level: level } as never,
    }),
  );

export const createRole = (organization: string, name: string) =>
  unwrap(api.POST('/api/organizations/{organization_id}/roles/', { params: within(organization), body: { name } }));

export const renameRole = (organization: string, role: string, name: string) =>
  unwrap(
    api.PATCH('/api/organizations/{organization_id}/roles/{role_id}/', {
      params: { path: { organization_id: organization, role_id: role } },
      body: { name },
    }),
  );

export const deleteRole = (organization: string, role: string) =>
  unwrap(
    api.DELETE('/api/organizations/{organization_id}/roles/{role_id}/', {
      params: { path: { organization_id: organization, role_id: role } },
    }),
  );

export const giveRole = (organization: string, role: string, user: string) =>
  unwrap(
    api.POST('/api/organizations/{organization_id}/roles/{role_id}/role_memberships/', {
      params: { path: { organization_id: organization, role_id: role } },
      body: { user_uuid: user },
    }),
  );

export const takeRole = (organization: string, role: string, membership: string) =>
  unwrap(
    api.DELETE('/api/organizations/{organization_id}/roles/{role_id}/role_memberships/{role_membership_id}/', {
      params: { path: { organization_id: organization, role_id: role, role_membership_id: membership } },
    }),
  );
