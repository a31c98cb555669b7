import type { FastifyInstance } from 'fastify';
import { requireScope } from '../../../auth/index.js';
import { UnrecoverableError } from '../../../jobs/index.js';
import { isObject } from '../../../kernel/json.js';
import type { ExportRow } from '../store.js';
import type { ExportContext } from './export-context.js';
import type { ExportData } from './export-data.js';
import { loadDashboard, loadInsight, loadQuery } from './load-dashboard.js';
import { loadPath } from './load-path.js';

/**
 * Loads the data of an export: of its insight, its dashboard, or the query or API path in its `export_context`.
 * @throws ApiError permission_denied, UnrecoverableError
 */
export async function loadExportData(app: FastifyInstance, context: ExportContext, row: ExportRow): Promise<ExportData> {
  if (row.insight_id !== null) return loadInsight(context, row.insight_id, row.dashboard_id);
  if (row.dashboard_id !== null) return loadDashboard(context, row.dashboard_id);
  const { source, path, method, body, filename } = row.export_context ?? {};
  const title = typeof filename === 'string' && filename ? filename : 'Export';
  if (isObject(source)) {
    // the scope that `query/` requires: an export grants a key no more than the API does
    requireScope(context.principal, 'query:read');
    return loadQuery(context, source, title);
  }
  if (path !== undefined) return loadPath(app, context, { path, method, body }, title);
  throw new UnrecoverableError('The export_context has neither a source nor a path.');
}
