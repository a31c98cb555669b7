import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps.js';
import { mountProjectRoutes } from '../../identity/index.js';
import { warningRoutes } from './routes.js';

/** What ingestion had to refuse or mend: `ingestion_warnings/`. */
export function registerWarnings(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, warningRoutes);
}
