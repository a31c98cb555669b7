import type { FastifyInstance } from 'fastify';
import { mountMembershipRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { memberRoutes } from './routes.js';

/** Members of private projects: `explicit_members/`. */
export function registerMembers(app: FastifyInstance, deps: Deps): void {
  mountMembershipRoutes(app, deps, memberRoutes);
}
