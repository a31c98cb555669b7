import type { ProjectContext } from '../../auth/index.js';
import { applyOverrides, createResultLoader, disconnectSignal, type InsightResultFields } from '../results/index.js';
import type { InsightRow } from '../tiles/index.js';
import type { RetrieveQuery } from './schema.js';
import { readDashboardOverrides } from './store.js';

/**
 * The result of an insight, with the overrides of a request and of the dashboard that it names.
 * @throws ApiError the error of the query, if the request asks for a computation
 */
export async function readResult(context: ProjectContext, row: InsightRow, query: RetrieveQuery): Promise<InsightResultFields> {
  const { deps, project, reply } = context;
  const { refresh = 'force_cache', from_dashboard: from, filters_override, variables_override } = query;
  const dashboard = row.places.find(({ id }) => id === from);
  const stored = dashboard && (await readDashboardOverrides(deps.db, project.id, dashboard.id));
  const filters = { ...stored?.filters, ...filters_override };
  const variables = { ...stored?.variables, ...variables_override };
  const overridden = row.query && applyOverrides(row.query, { filters, variables });
  const { fields, error } = await createResultLoader(deps, project, refresh, disconnectSignal(reply.raw)).load(overridden);
  if (error && refresh !== 'force_cache') throw error;
  return fields;
}
