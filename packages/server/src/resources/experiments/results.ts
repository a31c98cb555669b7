import { type ExperimentResults, experimentResults } from '../../analytics/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { ApiError } from '../../kernel/errors.js';
import type { JsonObject } from '../../kernel/json.js';
import type { ExperimentRow } from './store.js';

/**
 * The results of an experiment; `only`: the uuid of the one metric to compute.
 * @throws ApiError invalid_input: it has not started; not_found: it has no such metric
 */
export async function resultsOf(
  { deps, project }: ProjectContext,
  row: ExperimentRow,
  only: string | undefined,
  signal: AbortSignal,
): Promise<ExperimentResults> {
  const wanted = (metrics: readonly JsonObject[]) => metrics.filter(({ uuid }) => only === undefined || uuid === only);
  const selection = { metrics: wanted(row.metrics), metrics_secondary: wanted(row.metrics_secondary) };
  const context = { projectId: project.id, timezone: project.timezone, now: deps.clock.now(), db: deps.db, signal };
  const hasStarted = row.start_date !== null;
  if (hasStarted && only !== undefined && selection.metrics.length + selection.metrics_secondary.length === 0)
    throw new ApiError('not_found');
  return experimentResults(deps.events, row, selection, context);
}
