import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps.js';
import { mountProjectRoutes } from '../../identity/index.js';
import { annotationRoutes } from './routes.js';

/** Notes on moments, which charts show: `annotations/`. */
export function registerAnnotations(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, annotationRoutes);
}
