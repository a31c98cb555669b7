import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { annotationRoutes } from './routes.js';

/** Notes on moments, which charts show: `annotations/`. */
export function registerAnnotations(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, annotationRoutes);
}
