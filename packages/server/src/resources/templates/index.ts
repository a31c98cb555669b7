import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { templateRoutes } from './routes.js';

export { readTemplate, type Template, type TemplateTile, templateSchema } from './schema.js';
export { findTemplate } from './service.js';

/** Templates, from which dashboards are made: `dashboard_templates/`. */
export function registerTemplates(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, templateRoutes);
}
