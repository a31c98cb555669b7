import {
  type OrganizationContext,
  organizationRoute,
  requireNoOrganizationLimit,
  type UserContext,
  userRoute,
  usersById,
} from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { inTransaction } from '../../http/in-transaction.js';
import { envelope, readPage } from '../../http/pagination.js';
import { ApiError } from '../../kernel/errors.js';
import { ADMIN } from '../../kernel/rights.js';
import { logOrganization } from './activity.js';
import { foundOrganization } from './create.js';
import { type InviteRow, listInvites } from './invite-store.js';
import { invite, takeBack } from './invites.js';
import { changeMember, removeMember, requireAdmin, requireMayEdit, requireMember, requireOwner } from './members.js';
import {
  bulkSchema,
  createSchema,
  inviteListSchema,
  invitePage,
  inviteParams,
  inviteSchema,
  memberPage,
  memberParams,
  memberSchema,
  organizationPage,
  organizationSchema,
  patchSchema,
  shownInviteSchema,
  shownMemberSchema,
} from './schema.js';
import {
  deleteOrganization,
  listMembers,
  listOrganizations,
  lockMembers,
  type OrganizationRow,
  organizationExists,
  readOrganization,
  updateOrganization,
} from './store.js';
import { inviteView, memberView, organizationViews } from './view.js';

/** Routes under `/api/organizations`. */
export const listRoutes = [
  userRoute({
    method: 'GET',
    path: '/',
    scope: 'organization:read',
    summary: 'List the organizations of the caller',
    status: 200,
    response: organizationPage,
    handle: async ({ deps, request, principal }) => {
      const page = readPage(request);
      const within = principal.key?.organizations.length ? principal.key.organizations : null;
      const { count, rows } = await listOrganizations(deps.db, principal.userId, within, page);
      return envelope(request, page, count, await organizationViews(deps.db, principal, rows));
    },
  }),
  userRoute({
    method: 'POST',
    path: '/',
    scope: 'organization:write',
    summary: 'Create an organization with its first project',
    body: createSchema,
    status: 201,
    response: organizationSchema,
    load: async ({ deps, principal }) => {
      requireNoOrganizationLimit(principal);
      // someone whom every organization removed starts none here, unless anybody may sign up anyway
      const isMember = principal.currentOrganizationId !== null;
      if (!isMember && !deps.config.openSignup && (await organizationExists(deps.db))) throw new ApiError('permission_denied');
    },
    handle: async ({ deps, principal, body }) => {
      const founding = { userId: principal.userId, name: body.name, project: 'Default project', projectKey: null };
      const { organizationId } = await inTransaction(deps.db, (trx) => foundOrganization(trx, deps, founding));
      return showOrganization(deps, organizationId, principal);
    },
  }),
];

/** Routes under `/api/organizations/:organization_id`. */
export const organizationRoutes = [
  organizationRoute({
    method: 'GET',
    path: '/',
    scope: 'organization:read',
    summary: 'Retrieve an organization',
    status: 200,
    response: organizationSchema,
    handle: ({ deps, organization, principal }) => showOrganization(deps, organization.id, principal),
  }),
  organizationRoute({
    method: 'PATCH',
    path: '/',
    scope: 'organization:write',
    summary: 'Change an organization',
    body: patchSchema,
    status: 200,
    response: organizationSchema,
    load: requireAdmin,
    handle: async ({ deps, organization, principal, body }) => {
      const { userId } = principal;
      await inTransaction(deps.db, async (tx) => {
        const read = async () => requireRow(await readOrganization(tx, organization.id, userId));
        await lockMembers(tx, organization.id);
        const before = await read();
        await updateOrganization(tx, organization.id, body, new Date(deps.clock.now()));
        await logOrganization(tx, deps, { organizationId: organization.id, userId }, before, await read());
      });
      return showOrganization(deps, organization.id, principal);
    },
  }),
  organizationRoute({
    method: 'DELETE',
    path: '/',
    scope: 'organization:write',
    summary: 'Delete an organization with its projects',
    status: 204,
    load: requireOwner,
    handle: async ({ deps, organization }) => {
      deps.services.projectKeys.forget(await deleteOrganization(deps.db, organization.id));
    },
  }),
];

async function showOrganization(deps: Deps, organizationId: string, principal: UserContext['principal']) {
  const row = requireRow(await readOrganization(deps.db, organizationId, principal.userId));
  return (await organizationViews(deps.db, principal, [row]))[0];
}

function requireRow(row: OrganizationRow | undefined): OrganizationRow {
  if (!row) throw new ApiError('not_found');
  return row;
}

/** Routes under `/api/organizations/:organization_id`. */
export const memberRoutes = [
  organizationRoute({
    method: 'GET',
    path: '/members/',
    scope: 'organization_member:read',
    summary: 'List the members of an organization',
    status: 200,
    response: memberPage,
    handle: async ({ deps, request, organization }) => {
      const page = readPage(request);
      // administrators see the deactivated members as well, because they can activate them again
      const { count, rows } = await listMembers(deps.db, organization.id, organization.level < ADMIN, page);
      return envelope(request, page, count, rows.map(memberView));
    },
  }),
  organizationRoute({
    method: 'PATCH',
    path: '/members/:user_uuid/',
    params: memberParams,
    scope: 'organization_member:write',
    summary: "Change a member's level, or switch a member off or on",
    body: memberSchema,
    status: 200,
    response: shownMemberSchema,
    load: async (context) => {
      await requireAdmin(context);
      const member = await requireMember(context, context.params['user_uuid'] ?? '');
      requireMayEdit({ user_id: context.principal.userId, level: context.organization.level }, member);
      return member;
    },
    handle: async ({ loaded, body, ...context }) => memberView(await changeMember(context, loaded, body)),
  }),
  organizationRoute({
    method: 'DELETE',
    path: '/members/:user_uuid/',
    params: memberParams,
    scope: 'organization_member:write',
    summary: 'Remove a member, or leave the organization',
    status: 204,
    load: (context) => requireMember(context, context.params['user_uuid'] ?? ''),
    handle: ({ loaded, ...context }) => removeMember(context, loaded),
  }),
];

/**
 * Routes under `/api/organizations/:organization_id`. The id of an invite is enough to join, so members below administrator see
 * none, and administrators none above their own level.
 */
export const inviteRoutes = [
  organizationRoute({
    method: 'GET',
    path: '/invites/',
    scope: 'organization_member:read',
    summary: 'List the pending invites of an organization',
    status: 200,
    response: invitePage,
    load: requireAdmin,
    handle: async (context) => {
      const { deps, request, organization } = context;
      const page = readPage(request);
      const { count, rows } = await listInvites(deps.db, organization.id, organization.level, page);
      return envelope(request, page, count, await showInvites(context, rows));
    },
  }),
  organizationRoute({
    method: 'POST',
    path: '/invites/',
    scope: 'organization_member:write',
    summary: 'Invite a person into an organization',
    body: inviteSchema,
    status: 201,
    response: shownInviteSchema,
    load: requireAdmin,
    handle: async ({ body, ...context }) => (await showInvites(context, await invite(context, [body])))[0],
  }),
  organizationRoute({
    method: 'POST',
    path: '/invites/bulk/',
    scope: 'organization_member:write',
    summary: 'Invite up to 20 people into an organization',
    body: bulkSchema,
    status: 201,
    response: inviteListSchema,
    load: requireAdmin,
    handle: async ({ body, ...context }) => showInvites(context, await invite(context, body)),
  }),
  organizationRoute({
    method: 'DELETE',
    path: '/invites/:invite_id/',
    params: inviteParams,
    scope: 'organization_member:write',
    summary: 'Take an invite back',
    status: 204,
    load: requireAdmin,
    handle: ({ params, ...context }) => takeBack(context, params['invite_id'] ?? ''),
  }),
];

async function showInvites({ deps }: Pick<OrganizationContext, 'deps'>, rows: readonly InviteRow[]) {
  const creators = await usersById(
    deps.db,
    rows.map((row) => row.created_by),
  );
  return rows.map((row) => inviteView(row, creators, deps.clock.now()));
}
