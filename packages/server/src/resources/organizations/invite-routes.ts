import { type OrganizationContext, organizationRoute, usersById } from '../../auth/index.js';
import { envelope, readPage } from '../../http/pagination.js';
import { invite, takeBack } from './invites.js';
import { type InviteRow, listInvites } from './invites-store.js';
import { requireAdmin } from './rules.js';
import { bulkSchema, inviteListSchema, invitePage, inviteParams, inviteSchema, shownInviteSchema } from './schema.js';
import { inviteView } from './view.js';

/**
 * Below `/api/organizations/:organization_id`. Who knows an invite's id can join with it, so members below administrator see
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
      return envelope(request, page, count, await show(context, rows));
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
    handle: async ({ body, ...context }) => (await show(context, await invite(context, [body])))[0],
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
    handle: async ({ body, ...context }) => show(context, await invite(context, body)),
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

async function show({ deps }: Pick<OrganizationContext, 'deps'>, rows: readonly InviteRow[]) {
  const creators = await usersById(
    deps.db,
    rows.map((row) => row.created_by),
  );
  return rows.map((row) => inviteView(row, creators, deps.clock.now()));
}
