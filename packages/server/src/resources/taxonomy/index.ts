import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { definitionRoutes } from './routes.js';

/** What events and properties a project has: `event_definitions/`, `property_definitions/`. */
export function registerDefinitions(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, definitionRoutes);
}
