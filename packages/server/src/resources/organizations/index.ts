import type { FastifyInstance } from 'fastify';
import { mountOrganizationRoutes, mountUserRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { inviteRoutes } from './invite-routes.js';
import { memberRoutes } from './member-routes.js';
import { listRoutes, organizationRoutes } from './routes.js';

export { foundOrganization } from './found.js';
export { acceptInvite, type OpenInvite, openInvite } from './invites.js';
export { inviteParams, organizationBasicSchema, organizationSchema } from './schema.js';
export { listOrganizations, type OrganizationRow, setCurrent } from './store.js';
export { organizationBasicView, organizationViews } from './view.js';

/** Organizations, their members and invites: `/api/organizations/`. */
export function registerOrganizations(app: FastifyInstance, deps: Deps): void {
  mountUserRoutes(app, deps, '/api/organizations', listRoutes);
  mountOrganizationRoutes(app, deps, [...organizationRoutes, ...memberRoutes, ...inviteRoutes]);
}
