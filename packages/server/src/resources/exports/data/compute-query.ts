import { querySchema, runQuery } from '../../../analytics/index.js';
import { validate } from '../../../http/validate.js';
import { ApiError } from '../../../kernel/errors.js';
import { isObject, type JsonObject } from '../../../kernel/json.js';
import { mapInnerQuery } from '../../results/index.js';
import type { ExportContext } from './export-context.js';

/** Values of a breakdown in a table, unless the query has a limit of its own. */
const BREAKDOWN_LIMIT = 512;

/** Runs the query of an insight without the result cache. @throws ApiError when the query is invalid or too large */
export async function computeQuery(
  { deps, project, now, isTable, signal }: ExportContext,
  query: JsonObject,
): Promise<JsonObject> {
  const context = { projectId: project.id, timezone: project.timezone, now, db: deps.db, signal };
  const run = (request: JsonObject) => runQuery(deps.events, validate(querySchema, request), context);
  const result = await run(isTable ? withAllBreakdowns(query) : query).catch((error: unknown) => {
    // with this many values the result would be too large: export as many as the insight shows
    if (isTable && error instanceof ApiError && error.body.attr === BREAKDOWN_LIMIT_ATTR) return run(query);
    throw error;
  });
  return Object.fromEntries(Object.entries(result));
}

/** `attr` of the error for a result with too many breakdown values. */
const BREAKDOWN_LIMIT_ATTR = 'query__breakdownFilter__breakdown_limit';

const withAllBreakdowns = (query: JsonObject): JsonObject =>
  mapInnerQuery(query, (inner) => {
    const { breakdownFilter } = inner;
    if (!isObject(breakdownFilter) || (breakdownFilter['breakdown_limit'] ?? null) !== null) return inner;
    return { ...inner, breakdownFilter: { ...breakdownFilter, breakdown_limit: BREAKDOWN_LIMIT } };
  });
