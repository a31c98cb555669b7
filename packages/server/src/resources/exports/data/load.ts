import type { FastifyInstance } from 'fastify';
import { requireScope } from '../../../auth/index.js';
import { NoUseTryingAgain } from '../../../jobs/index.js';
import { isObject } from '../../../kernel/json.js';
import type { ExportRow } from '../store.js';
import type { Reading } from './compute.js';
import { loadDashboard, loadInsight, loadQuery } from './load-dashboard.js';
import { loadPath } from './load-path.js';
import type { Material } from './export-data.js';

/** What an export is to show. @throws ApiError permission_denied, NoUseTryingAgain */
export async function loadMaterial(app: FastifyInstance, reading: Reading, row: ExportRow): Promise<Material> {
  if (row.insight_id !== null) return loadInsight(reading, row.insight_id, row.dashboard_id);
  if (row.dashboard_id !== null) return loadDashboard(reading, row.dashboard_id);
  const { source, path } = row.export_context ?? {};
  const title = titleOf(row);
  if (isObject(source)) {
    // what `query/` asks of a key: an export is no way around it
    requireScope(reading.reader.principal, 'query:read');
    return loadQuery(reading, source, title);
  }
  if (path !== undefined) return loadPath(app, reading, row.export_context ?? {}, title);
  throw new NoUseTryingAgain('The export_context has neither a source nor a path.');
}

/** A query or a path is called as its file is to be. */
function titleOf({ export_context: context }: ExportRow): string {
  const name = context?.['filename'];
  return typeof name === 'string' && name ? name : 'Export';
}
