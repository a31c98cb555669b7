import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps.js';
import { mountProjectRoutes } from '../../identity/index.js';
import { queryRoutes } from './routes.js';

/** `POST …/query/`: numbers and events of a project. */
export function registerQuery(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, queryRoutes);
}
