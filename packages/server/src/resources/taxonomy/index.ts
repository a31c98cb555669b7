import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { definitionRoutes } from './routes.js';

export { createEventVolumes, type EventVolumes } from './volumes.js';

/** Taxonomy: the events and properties that a project has received: `event_definitions/`, `property_definitions/`. */
export function registerDefinitions(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, definitionRoutes);
}
