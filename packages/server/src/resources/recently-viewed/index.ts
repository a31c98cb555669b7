import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { recentlyViewedRoutes } from './routes.js';

/** What a user viewed last: `recently_viewed/`. */
export function registerRecentlyViewed(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, recentlyViewedRoutes);
}
