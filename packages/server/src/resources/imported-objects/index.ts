import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { importedObjectRoutes } from './routes.js';

/** What imports made in a project: `imported_objects/`. */
export function registerImportedObjects(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, importedObjectRoutes);
}
