import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { variableRoutes } from './routes.js';

/** Variables of SQL questions: `insight_variables/`. */
export function registerInsightVariables(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, variableRoutes);
}
