import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { personDataRoutes } from './routes.js';

/** All that is stored about a person, as the GDPR has it: deletion and export, `persons/:id/`. */
export function registerPersonData(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, personDataRoutes);
}
