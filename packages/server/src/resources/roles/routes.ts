import { type OrganizationContext, organizationRoute } from '../../auth/index.js';
import { envelope, pageOf, readPage } from '../../http/pagination.js';
import { requireAdmin } from '../organizations/index.js';
import { createRole, giveRole, loadRole, loadRoleToChange, removeRole, renameRole, takeRole } from './roles.js';
import {
  createSchema,
  membershipCreateSchema,
  patchSchema,
  roleMembershipParams,
  roleMembershipSchema,
  roleParams,
  roleSchema,
} from './schema.js';
import { listMemberships, listRoles, type RoleRow } from './store.js';
import { roleMembershipView, roleViews } from './view.js';

/** Routes under `/api/organizations/:organization_id`. */
export const roleRoutes = [
  organizationRoute({
    method: 'GET',
    path: '/roles/',
    scope: 'organization:read',
    summary: 'List the roles of an organization',
    response: pageOf(roleSchema),
    status: 200,
    handle: async ({ deps: { db }, request, organization }) => {
      const page = readPage(request);
      const { count, rows } = await listRoles(db, organization.id, page);
      return envelope(request, page, count, await roleViews(db, organization.id, rows));
    },
  }),
  organizationRoute({
    method: 'POST',
    path: '/roles/',
    scope: 'organization:write',
    summary: 'Create a role',
    body: createSchema,
    response: roleSchema,
    status: 201,
    load: requireAdmin,
    handle: async ({ body, ...context }) => show(context, await createRole(context, body.name)),
  }),
  organizationRoute({
    method: 'GET',
    path: '/roles/:role_id/',
    params: roleParams,
    scope: 'organization:read',
    summary: 'Retrieve a role',
    response: roleSchema,
    status: 200,
    load: loadRole,
    handle: ({ loaded, ...context }) => show(context, loaded),
  }),
  organizationRoute({
    method: 'PATCH',
    path: '/roles/:role_id/',
    params: roleParams,
    scope: 'organization:write',
    summary: 'Rename a role',
    body: patchSchema,
    response: roleSchema,
    status: 200,
    load: loadRoleToChange,
    handle: async ({ loaded, body, ...context }) => show(context, await renameRole(context, loaded, body.name ?? loaded.name)),
  }),
  organizationRoute({
    method: 'DELETE',
    path: '/roles/:role_id/',
    params: roleParams,
    scope: 'organization:write',
    summary: 'Delete a role, with the access rules for it',
    status: 204,
    load: loadRoleToChange,
    handle: ({ loaded, ...context }) => removeRole(context, loaded),
  }),
];

const show = async ({ deps, organization }: OrganizationContext, role: RoleRow) =>
  (await roleViews(deps.db, organization.id, [role]))[0];

/** Routes under `/api/organizations/:organization_id`. */
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
