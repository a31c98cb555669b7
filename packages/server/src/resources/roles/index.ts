import type { FastifyInstance } from 'fastify';
import { mountOrganizationRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { roleMembershipRoutes, roleRoutes } from './routes.js';

/** Roles of an organization, which access rules can be for: `/api/organizations/:organization_id/roles/`. */
export function registerRoles(app: FastifyInstance, deps: Deps): void {
  mountOrganizationRoutes(app, deps, [...roleRoutes, ...roleMembershipRoutes]);
}
