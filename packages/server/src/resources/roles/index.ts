import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps.js';
import { mountOrganizationRoutes } from '../../identity/index.js';
import { roleMembershipRoutes } from './membership-routes.js';
import { roleRoutes } from './routes.js';

/** Roles of an organization, which access rules can be for: `/api/organizations/:organization_id/roles/`. */
export function registerRoles(app: FastifyInstance, deps: Deps): void {
  mountOrganizationRoutes(app, deps, [...roleRoutes, ...roleMembershipRoutes]);
}
