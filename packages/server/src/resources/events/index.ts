import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps.js';
import { mountProjectRoutes } from '../../identity/index.js';
import { eventRoutes } from './routes.js';

/** What was captured, as a list: `events/`; and the values that properties have. */
export function registerEvents(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, eventRoutes);
}
