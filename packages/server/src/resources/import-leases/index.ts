import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { importLeaseRoutes } from './routes.js';

/** Which import of objects works on a project: `import_leases/`. */
export function registerImportLeases(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, importLeaseRoutes);
}
