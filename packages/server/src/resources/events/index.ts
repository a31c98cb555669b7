import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { eventRoutes } from './routes.js';

export { propertyFilters, word } from './schema.js';

/** The list of events, and the values of properties: `events/`, `persons/values/`. */
export function registerEvents(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, eventRoutes);
}
