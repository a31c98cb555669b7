import { organizationRoute } from '../../auth/index.js';
import { envelope, readPage } from '../../http/pagination.js';
import { ADMIN } from '../../kernel/levels.js';
import { changeMember, removeMember, requireMember } from './members.js';
import { listMembers } from './members-store.js';
import { requireAdmin, requireMayEdit } from './rules.js';
import { memberPage, memberParams, memberSchema, shownMemberSchema } from './schema.js';
import { memberView } from './view.js';

/** Below `/api/organizations/:organization_id`. */
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
      // only who can switch members on again sees the switched-off ones
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
