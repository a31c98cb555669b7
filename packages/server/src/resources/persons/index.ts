import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { personRoutes } from './routes.js';

export { loadPersonFor } from './routes.js';
export { personParams, personSchema } from './schema.js';
export { displayNameProperties, findPersonsByUuid, type PersonRecord } from './store.js';
export { nameProperties, personView, showPersons } from './view.js';

/** Persons, to whom events belong: `persons/`. */
export function registerPersons(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, personRoutes);
}
