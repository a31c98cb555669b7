import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { purgePersons, repeatInTurn } from '../../jobs/index.js';
import { personRoutes } from './routes.js';

export { showPersons } from './persons.js';
export { personSchema } from './schema.js';

/** How soon events are deleted of those who were deleted with them; milliseconds. */
const PURGE_MS = 60_000;

/** The people that events belong to: `persons/`. */
export function registerPersons(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, personRoutes);
  const purging = repeatInTurn(deps, { name: 'purge-persons', everyMs: PURGE_MS, run: () => purgePersons(deps) });
  app.addHook('onClose', () => purging.stop());
}
