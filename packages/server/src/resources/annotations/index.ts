import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { annotationRoutes } from './routes.js';

export { type ChartAnnotation, chartAnnotations, pageAnnotations } from './chart-annotations.js';

/** Annotations, which are notes on moments that charts show: `annotations/`. */
export function registerAnnotations(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, annotationRoutes);
}
