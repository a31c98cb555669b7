import type { FastifyInstance } from 'fastify';
import { mountOrganizationRoutes, mountUserRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { inviteRoutes, listRoutes, memberRoutes, organizationRoutes } from './routes.js';

export { logMember } from './activity.js';
export { foundOrganization } from './create.js';
export { acceptInvite, invite, joinOrganization, type OpenInvite, openInvite } from './invites.js';
export { requireAdmin, requireMayEdit, requireMember } from './members.js';
export { inviteParams, inviteSchema, memberParams, organizationBasicSchema, organizationSchema } from './schema.js';
export { listOrganizations, type OrganizationRow, setCurrent } from './store.js';
export { inviteExpiry, organizationBasicView, organizationViews } from './view.js';

/** Organizations, their members and invites: `/api/organizations/`. */
export function registerOrganizations(app: FastifyInstance, deps: Deps): void {
  mountUserRoutes(app, deps, '/api/organizations', listRoutes);
  mountOrganizationRoutes(app, deps, [...organizationRoutes, ...memberRoutes, ...inviteRoutes]);
}
