import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { warningRoutes } from './routes.js';

/** Warnings about events that ingestion rejected or corrected: `ingestion_warnings/`. */
export function registerWarnings(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, warningRoutes);
}
