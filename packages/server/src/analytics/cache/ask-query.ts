import type { Caches } from '../../caches/index.js';
import type { Deps } from '../../deps.js';
import { ApiError } from '../../kernel/errors.js';
import type { QuerySettings } from '../cohort-store.js';
import type { QueryResult } from '../kinds/list.js';
import type { Query } from '../query.js';
import { type PreparedQuery, prepareQuery } from '../run.js';
import { type ComputeOnce, createComputeOnce } from './compute-once.js';
import type { QueryStatus } from './query-status.js';
import { createKeptResults, type KeptResult, type KeptResults } from './result-cache.js';

/** Whether a result may come from the cache, and whether the caller waits for a new one. */
export const REFRESH_MODES = [
  'blocking',
  'async',
  'lazy_async',
  'async_except_on_cache_miss',
  'force_blocking',
  'force_async',
  'force_cache',
] as const;
export type RefreshMode = (typeof REFRESH_MODES)[number];

export interface CachedQueryOptions {
  refresh: RefreshMode;
  /** Id to poll or cancel the run; null: generated. */
  queryId: string | null;
  /** The project's settings, if the caller has loaded them for several queries at once. */
  settings?: QuerySettings | undefined;
  /** Aborted when the client disconnects. */
  signal?: AbortSignal;
}

/** The result of a query, from the cache or computed, and the state of a background run. */
export interface CachedQueryResult {
  /** Null: no result (yet). */
  result: QueryResult | null;
  /** The result comes from the cache. */
  isCached: boolean;
  /** When it was computed, epoch milliseconds. */
  computedAt: number | null;
  cacheKey: string;
  /** State of the background run that was started or joined; null: none. */
  status: QueryStatus | null;
}

/** Results of queries that a process has computed, and those that it computes at the moment. */
export interface QueryResults {
  kept: KeptResults;
  once: ComputeOnce<KeptResult>;
}

export const createQueryResults = (caches: Caches): QueryResults => ({
  kept: createKeptResults(caches),
  once: createComputeOnce(),
});

/**
 * Returns a query result from the cache, computes it, or starts a background run, as `refresh` says. A cached result is fresh until any
 * event is stored. Concurrent equal queries share one computation; it is cancelled once all their callers have disconnected.
 * @throws ApiError invalid_input if the query exceeds a limit
 */
export async function runCachedQuery(
  deps: Deps,
  project: { id: number; timezone: string },
  query: Query,
  { refresh, queryId, settings, signal }: CachedQueryOptions,
): Promise<CachedQueryResult> {
  const { db, events, clock } = deps;
  const context = { projectId: project.id, timezone: project.timezone, now: clock.now(), db, settings };
  // in parallel: a cache hit waits for both
  const [ready, version] = await Promise.all([
    prepareQuery(events, query, context),
    // read before any event: events that arrive during the computation make its result stale
    refresh === 'force_cache' ? null : events.dataVersion(),
  ]);
  const { queryResults, queryRuns } = deps.services;
  const kept = refresh.startsWith('force_') && refresh !== 'force_cache' ? null : queryResults.kept.find(ready.key);
  const found = (computed: KeptResult | null, isCached: boolean, status: QueryStatus | null = null): CachedQueryResult => ({
    result: computed?.result ?? null,
    isCached: isCached && computed !== null,
    computedAt: computed?.at ?? null,
    cacheKey: ready.key,
    status,
  });
  if (version === null || kept?.version === version) return found(kept, true);
  const question = { ready, version, projectId: project.id };
  if (refresh === 'blocking' || refresh === 'force_blocking' || (refresh === 'async_except_on_cache_miss' && !kept)) {
    return found(await computed(deps, question, { queryId, signal }), false);
  }
  const id = queryId ?? deps.ids.uuid();
  const status = await queryRuns.start(project.id, id, async (ended) => (await compute(deps, question, ended)).result);
  return found(kept, true, status);
}

interface Question {
  ready: PreparedQuery;
  /** Of the data. */
  version: string;
  projectId: number;
}

interface Waiting {
  queryId: string | null;
  signal: AbortSignal | undefined;
}

async function computed(deps: Deps, question: Question, { queryId, signal }: Waiting): Promise<KeptResult> {
  const wait = (cancelled?: AbortSignal) => {
    const signals = [signal, cancelled].filter((one) => one !== undefined);
    return compute(deps, question, AbortSignal.any(signals));
  };
  try {
    return await (queryId === null ? wait() : deps.services.queryRuns.watch(question.projectId, queryId, wait));
  } catch (error) {
    // nobody reads this answer: it only keeps the context's leaving out of the list of our own faults
    if (signal?.aborted) throw new ApiError('unavailable', 'The client closed the connection.');
    throw error;
  }
}

const compute = (deps: Deps, { ready, version, projectId }: Question, signal: AbortSignal) =>
  deps.services.queryResults.once.wait(
    // the data version is part of the key: a caller must not get a result without events that it has stored before
    `${ready.key} ${version}`,
    async (ended) => {
      const kept = { result: await ready.compute(ended), version, at: deps.clock.now() };
      deps.services.queryResults.kept.keep(ready.key, kept);
      // cached HTTP responses of the project show the older result
      deps.services.responseCache.changed(projectId);
      return kept;
    },
    signal,
  );
