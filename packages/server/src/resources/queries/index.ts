import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { queryRoutes } from './routes.js';

/** Registers the query API: compute, poll and cancel. */
export function registerQuery(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, queryRoutes);
}
