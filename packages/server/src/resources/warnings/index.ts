import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { warningRoutes } from './routes.js';

/** What ingestion had to refuse or mend: `ingestion_warnings/`. */
export function registerWarnings(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, warningRoutes);
}
