import { organizationRoute } from '../../auth/index.js';
import { envelope, pageOf, readPage } from '../../http/pagination.js';
import { giveRole, takeRole } from './memberships.js';
import { loadRole, loadRoleToChange } from './roles.js';
import { membershipCreateSchema, roleMembershipParams, roleMembershipSchema, roleParams } from './schema.js';
import { listMemberships } from './store.js';
import { roleMembershipView } from './view.js';

/** Below `/api/organizations/:organization_id`. */
export const roleMembershipRoutes = [
  organizationRoute({
    method: 'GET',
    path: '/roles/:role_id/role_memberships/',
    params: roleParams,
    scope: 'organization:read',
    summary: 'List who has a role',
    response: pageOf(roleMembershipSchema),
    status: 200,
    load: loadRole,
    handle: async ({ deps, request, organization, loaded }) => {
      const page = readPage(request);
      const { count, rows } = await listMemberships(deps.db, organization.id, loaded.id, page);
      return envelope(request, page, count, rows.map(roleMembershipView));
    },
  }),
  organizationRoute({
    method: 'POST',
    path: '/roles/:role_id/role_memberships/',
    params: roleParams,
    scope: 'organization:write',
    summary: 'Give a member a role',
    body: membershipCreateSchema,
    response: roleMembershipSchema,
    status: 201,
    load: loadRoleToChange,
    handle: async ({ loaded, body, ...context }) => roleMembershipView(await giveRole(context, loaded, body.user_uuid)),
  }),
  organizationRoute({
    method: 'DELETE',
    path: '/roles/:role_id/role_memberships/:role_membership_id/',
    params: roleMembershipParams,
    scope: 'organization:write',
    summary: 'Take a role from a member',
    status: 204,
    load: loadRoleToChange,
    handle: ({ loaded, params, ...context }) => takeRole(context, loaded, params['role_membership_id'] ?? ''),
  }),
];
