import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { eventRoutes } from './routes.js';

/** What was captured, as a list: `events/`; and the values that properties have. */
export function registerEvents(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, eventRoutes);
}
