import type { FastifyInstance } from 'fastify';
import { mountMembershipRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { memberRoutes } from './routes.js';

/** Who may enter a private project: `explicit_members/`. */
export function registerMembers(app: FastifyInstance, deps: Deps): void {
  mountMembershipRoutes(app, deps, memberRoutes);
}
