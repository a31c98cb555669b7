import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { personRoutes } from './routes.js';

export { personSchema } from './schema.js';
export { showPersons } from './view.js';

/** Persons, to whom events belong: `persons/`. */
export function registerPersons(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, personRoutes);
}
