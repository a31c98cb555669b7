import { organizationRoute, requireNoOrganizationLimit, type UserContext, userRoute } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { inTransaction } from '../../http/in-transaction.js';
import { envelope, readPage } from '../../http/pagination.js';
import { ApiError } from '../../kernel/errors.js';
import { foundOrganization } from './found.js';
import { logOrganization } from './log.js';
import { lockMembers } from './members-store.js';
import { requireAdmin, requireOwner } from './rules.js';
import { createSchema, organizationPage, organizationSchema, patchSchema } from './schema.js';
import {
  deleteOrganization,
  listOrganizations,
  type OrganizationRow,
  organizationExists,
  readOrganization,
  updateOrganization,
} from './store.js';
import { organizationViews } from './view.js';

/** Below `/api/organizations`. */
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
      const { organizationId } = await deps.db.transaction().execute((trx) => foundOrganization(trx, deps, founding));
      return show(deps, organizationId, principal);
    },
  }),
];

/** Below `/api/organizations/:organization_id`. */
export const organizationRoutes = [
  organizationRoute({
    method: 'GET',
    path: '/',
    scope: 'organization:read',
    summary: 'Retrieve an organization',
    status: 200,
    response: organizationSchema,
    handle: ({ deps, organization, principal }) => show(deps, organization.id, principal),
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
      return show(deps, organization.id, principal);
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

async function show(deps: Deps, organizationId: string, principal: UserContext['principal']) {
  const row = requireRow(await readOrganization(deps.db, organizationId, principal.userId));
  return (await organizationViews(deps.db, principal, [row]))[0];
}

function requireRow(row: OrganizationRow | undefined): OrganizationRow {
  if (!row) throw new ApiError('not_found');
  return row;
}
