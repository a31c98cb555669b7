import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { audienceRoutes, passwordRoutes, sharingRoutes } from './routes.js';
import { SHAREABLES } from './shareable.js';

/** Public sharing: the routes of `sharing/` below dashboards, insights and recordings. */
export function registerSharing(app: FastifyInstance, deps: Deps): void {
  for (const shareable of SHAREABLES) {
    mountProjectRoutes(app, deps, [...sharingRoutes(shareable), ...audienceRoutes(shareable), ...passwordRoutes(shareable)]);
  }
}
