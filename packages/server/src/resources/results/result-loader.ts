import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import { z } from 'zod';
import {
  type CachedQueryResult,
  type ComputationFigures,
  type QuerySettings,
  querySchema,
  REFRESH_MODES,
  type RefreshMode,
  readQuerySettings,
  runCachedQuery,
} from '../../analytics/index.js';
import { MAX_STALENESS_SECONDS } from '../../config.js';
import type { Deps } from '../../deps.js';
import { isoTime } from '../../http/dates.js';
import { integerFrom, optional } from '../../http/fields.js';
import { rejectUnknownFields } from '../../http/unknown-fields.js';
import { validate } from '../../http/validate.js';
import { ApiError } from '../../kernel/errors.js';
import type { JsonObject } from '../../kernel/json.js';
import { EventsUnavailable } from '../../ports/events.js';
import { type LoadQueryAccess, requireQueryAccess } from './query-access.js';
import { nameRun } from './run-profiles.js';

type Project = { id: number; timezone: string };

/** Loads the results of several queries for one request. */
export interface ResultLoader {
  load(query: JsonObject | null): Promise<InsightResult>;
}

/** The result of an insight's query. */
export interface InsightResult {
  fields: InsightResultFields;
  /** How the result was computed; undefined: there is none, or it was stored before it had figures. */
  figures?: ComputationFigures | undefined;
  /** Why the query failed; null: it did not. */
  error: ApiError | null;
}

export type InsightResultFields = ReturnType<typeof fieldsOf>;

/** Maximum number of concurrent queries of a request: each uses several threads, so that more than the machine has delay the first one. */
const AT_ONCE = Math.min(4, Math.max(2, availableParallelism()));

/** Whether results may come from the cache, and how old they may be. */
interface Freshness {
  refresh: RefreshMode;
  /** Seconds; by default as the project's settings say. */
  staleness?: number | undefined;
}

/** Creates the loader of a request. `access`: the reader's, to what queries show; `signal`: aborted when the client disconnects. */
export function createResultLoader(
  deps: Deps,
  project: Project,
  access: LoadQueryAccess,
  { refresh, staleness }: Freshness,
  signal?: AbortSignal,
): ResultLoader {
  let settings: Promise<QuerySettings> | undefined;
  const limit = pLimit(AT_ONCE);

  async function ask(query: JsonObject): Promise<CachedQueryResult> {
    const parsed = validate(querySchema, query);
    rejectUnknownFields(querySchema, query);
    await requireQueryAccess(deps.db, project.id, parsed, access);
    settings ??= readQuerySettings(deps.db, project.id);
    return runCachedQuery(deps, project, parsed, {
      refresh,
      staleness,
      queryId: await nameRun(deps, project.id, parsed, { refresh, queryId: null }),
      settings: await settings,
      ...(signal ? { signal } : {}),
    });
  }
  return {
    load: async (query) => {
      if (query === null) return { fields: fieldsOf(null), error: null };
      try {
        const cached = await limit(() => ask(query));
        return { fields: fieldsOf(cached), figures: figuresOf(cached), error: null };
      } catch (error) {
        // an error of one query must not fail the others
        if (error instanceof ApiError) return { fields: fieldsOf(null), error };
        if (error instanceof EventsUnavailable) return { fields: fieldsOf(null), error: new ApiError('unavailable') };
        throw error;
      }
    },
  };
}

/** A signal that aborts when the client disconnects before the response. */
export function disconnectSignal(raw: { destroyed: boolean; once(event: 'close', heard: () => void): unknown }): AbortSignal {
  const gone = new AbortController();
  // `close` does not fire again for a connection that has closed already
  if (raw.destroyed) gone.abort();
  raw.once('close', () => gone.abort());
  return gone.signal;
}

/** The figures of the computation, which stand beside the result. */
function figuresOf({ result }: CachedQueryResult): ComputationFigures | undefined {
  const { timings, clickhouse }: Partial<ComputationFigures> = result ?? {};
  return timings && clickhouse !== undefined ? { timings, clickhouse } : undefined;
}

/** The result fields of an insight without a result. */
export const EMPTY_RESULT = fieldsOf(null);

function fieldsOf(cached: CachedQueryResult | null) {
  const parts: Record<string, unknown> = Object.fromEntries(Object.entries(cached?.result ?? {}));
  const { results = null, hasMore = null, columns = null, types = null } = parts;
  const { computedAt = null, completeUntil = null } = cached ?? {};
  return {
    result: results,
    hasMore,
    columns,
    types,
    hogql: null,
    is_cached: cached?.isCached ?? false,
    last_refresh: computedAt === null ? null : isoTime(new Date(computedAt)),
    complete_until: completeUntil === null ? null : isoTime(new Date(completeUntil)),
    query_status: cached?.status ?? null,
    cache_target_age: null,
    next_allowed_client_refresh: null,
  };
}

/** Schema of the query parameter `refresh` of reads. Unknown values mean `force_cache`: compute nothing. */
export const refreshParam = z
  .unknown()
  .transform((value): RefreshMode => {
    if (value === undefined) return 'force_cache';
    const word = String(value).toLowerCase();
    if (word === 'true' || word === '1') return 'force_blocking';
    return REFRESH_MODES.find((mode) => mode === word) ?? 'force_cache';
  })
  .optional()
  .describe(
    'Whether results may come from the cache. `force_cache` or false (default): the cached result, else null; `blocking`: the cached result if no event was stored since or it is younger than `staleness`, else computed now; `force_blocking` or true: computed now; `async`, `force_async`, `lazy_async`, `async_except_on_cache_miss`: computed in the background, to be polled by `query_status`.',
  )
  .meta({ enum: [...REFRESH_MODES, true, false] });

/** Schema of the query parameter `staleness` of reads, and of the field of queries. */
export const stalenessParam = optional(integerFrom(0, MAX_STALENESS_SECONDS)).describe(
  'With `refresh` `blocking`: how old a result that takes long to compute may be, seconds. Default: the project’s `query_staleness_seconds`. 0: always current.',
);

/** The freshness that the parameters of a read ask for. By default nothing is computed. */
export const freshnessOf = ({
  refresh,
  staleness,
}: {
  refresh?: RefreshMode | undefined;
  staleness?: number | undefined;
}): Freshness => ({
  refresh: refresh ?? 'force_cache',
  staleness,
});
