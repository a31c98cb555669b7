import { z } from 'zod';
import type { ProjectContext } from '../../auth/index.js';
import { integer, optional } from '../../http/fields.js';
import {
  applyOverrides,
  createResultLoader,
  disconnectSignal,
  type InsightResultFields,
  overrideParam,
  refreshParam,
} from '../results/index.js';
import type { InsightRow } from '../tiles/index.js';
import { readOverlay } from './store.js';

/** How a read of one insight wants its result. */
export const retrieveQuery = z.object({
  refresh: refreshParam,
  from_dashboard: optional(integer()).describe('A dashboard that it is on, whose filters and variables are laid over.'),
  filters_override: overrideParam('filters_override').describe('JSON object laid over the filters for this answer alone.'),
  variables_override: overrideParam('variables_override').describe('JSON object laid over the variables for this answer alone.'),
});
export type RetrieveQuery = z.output<typeof retrieveQuery>;

/** The result of an insight. @throws ApiError when it was to be computed and could not be */
export async function readResult(context: ProjectContext, row: InsightRow, asked: RetrieveQuery): Promise<InsightResultFields> {
  const { deps, project, reply } = context;
  const { refresh = 'force_cache', from_dashboard: from, filters_override, variables_override } = asked;
  const board = row.places.find(({ id }) => id === from);
  const stored = board && (await readOverlay(deps.db, project.id, board.id));
  const filters = { ...stored?.filters, ...filters_override };
  const variables = { ...stored?.variables, ...variables_override };
  const query = row.query && applyOverrides(row.query, { filters, variables });
  const { fields, error } = await createResultLoader(deps, project, refresh, disconnectSignal(reply.raw)).load(query);
  if (error && refresh !== 'force_cache') throw error;
  return fields;
}
