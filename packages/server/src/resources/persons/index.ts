import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { personRoutes } from './routes.js';

export { showPersons } from './persons.js';
export { personSchema } from './schema.js';

/** The people that events belong to: `persons/`. */
export function registerPersons(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, personRoutes);
}
