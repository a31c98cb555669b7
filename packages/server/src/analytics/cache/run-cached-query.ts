import type { Caches } from '../../caches/index.js';
import type { Deps } from '../../deps.js';
import { ApiError } from '../../kernel/errors.js';
import type { Query, QueryResult } from '../query.js';
import { type PreparedQuery, prepareQuery } from '../run.js';
import { type ComputationFigures, figuresOf, recordStatements } from '../statements.js';
import type { QuerySettings } from '../store.js';
import { createZone, type Zone } from '../zone.js';
import { type ComputeOnce, createComputeOnce } from './compute-once.js';
import type { QueryStatus } from './query-runs.js';

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

/** A result with the figures of its computation, which stay when it comes from the cache. */
type ComputedResult = QueryResult & ComputationFigures;

/** The result of a query, from the cache or computed, and the state of a background run. */
export interface CachedQueryResult {
  /** Null: no result (yet). */
  result: ComputedResult | null;
  /** The result comes from the cache. */
  isCached: boolean;
  /** When it was computed, epoch milliseconds. */
  computedAt: number | null;
  cacheKey: string;
  /** State of the background run that was started or joined; null: none. */
  status: QueryStatus | null;
}

/** Cached results of a process, and its running computations. */
export interface QueryResults {
  cache: ResultCache;
  computations: ComputeOnce<CachedResult>;
  /** Time zones by name. */
  zoneOf(timezone: string): Zone;
}

export function createQueryResults(caches: Caches): QueryResults {
  const zones = caches.create<string, Zone>({ name: 'time_zones', max: { entries: 100 } });
  return {
    cache: createResultCache(caches),
    computations: createComputeOnce(),
    zoneOf(timezone) {
      const zone = zones.get(timezone) ?? createZone(timezone);
      zones.set(timezone, zone);
      return zone;
    },
  };
}

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
  const { queryResults, queryRuns } = deps.services;
  const { id: projectId, timezone } = project;
  const context = { projectId, timezone, zone: queryResults.zoneOf(timezone), now: clock.now(), db, settings };
  // in parallel: a cache hit waits for both
  const [ready, dataVersion] = await Promise.all([
    prepareQuery(query, context),
    // read before any event: events that arrive during the computation make its result stale
    refresh === 'force_cache' ? null : events.dataVersion(),
  ]);
  const cached = refresh.startsWith('force_') && refresh !== 'force_cache' ? null : queryResults.cache.get(ready.key);
  const respond = (computed: CachedResult | null, isCached: boolean, status: QueryStatus | null = null): CachedQueryResult => ({
    result: computed?.result ?? null,
    isCached: isCached && computed !== null,
    computedAt: computed?.computedAt ?? null,
    cacheKey: ready.key,
    status,
  });
  if (dataVersion === null || cached?.dataVersion === dataVersion) return respond(cached, true);
  const computation = { ready, dataVersion, projectId: project.id };
  if (refresh === 'blocking' || refresh === 'force_blocking' || (refresh === 'async_except_on_cache_miss' && !cached)) {
    return respond(await computeForCaller(deps, computation, { queryId, signal }), false);
  }
  const id = queryId ?? deps.ids.uuid();
  const experimentId = query.kind === 'ExperimentQuery' ? query.experimentId : null;
  const status = await queryRuns.start(
    project.id,
    { name: id, experimentId },
    async (ended) => (await compute(deps, computation, ended)).result,
  );
  return respond(cached, true, status);
}

interface Computation {
  ready: PreparedQuery;
  dataVersion: string;
  projectId: number;
}

interface Waiting {
  queryId: string | null;
  signal: AbortSignal | undefined;
}

/** Computes a result while the caller waits. @throws ApiError unavailable if the client disconnects */
async function computeForCaller(deps: Deps, computation: Computation, { queryId, signal }: Waiting): Promise<CachedResult> {
  const wait = (cancelled?: AbortSignal) => {
    const signals = [signal, cancelled].filter((one) => one !== undefined);
    return compute(deps, computation, AbortSignal.any(signals));
  };
  try {
    return await (queryId === null ? wait() : deps.services.queryRuns.watch(computation.projectId, queryId, wait));
  } catch (error) {
    // nobody reads this response: as an ApiError, a disconnect is not logged as a fault of the service
    if (signal?.aborted) throw new ApiError('unavailable', 'The client closed the connection.');
    throw error;
  }
}

const compute = (deps: Deps, { ready, dataVersion, projectId }: Computation, signal: AbortSignal) =>
  deps.services.queryResults.computations.run(
    // the data version is part of the key: a caller must not get a result without events that it has stored before
    `${ready.key} ${dataVersion}`,
    async (ended) => {
      const begun = performance.now();
      const { events, statements } = recordStatements(deps.events);
      const result = await ready.compute(events, ended);
      const figures = figuresOf(statements, performance.now() - begun);
      const computed: CachedResult = { result: { ...result, ...figures }, dataVersion, computedAt: deps.clock.now() };
      deps.services.queryResults.cache.set(ready.key, computed);
      // cached HTTP responses of the project show the older result
      deps.services.responseCache.invalidateProject(projectId);
      return computed;
    },
    signal,
  );

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_RESULT_BYTES = 8 * 1024 * 1024;

/** A result that was computed before, as the cache stores it. */
interface CachedResult {
  result: ComputedResult;
  /** `EventsStore.dataVersion` from before it was computed. */
  dataVersion: string;
  /** When it was computed, epoch milliseconds. */
  computedAt: number;
}

/** Query results by the cache key of their query. The least recently used ones are evicted. */
interface ResultCache {
  get(key: string): CachedResult | null;
  set(key: string, result: CachedResult): void;
}

function createResultCache(caches: Caches): ResultCache {
  const results = caches.create<string, CachedResult>({
    name: 'query_results',
    // JavaScript stores texts in up to two bytes a character
    max: { bytes: MAX_BYTES, bytesOfOne: MAX_RESULT_BYTES, bytesOf: ({ result }) => JSON.stringify(result).length * 2 },
  });
  return { get: (key) => results.get(key) ?? null, set: results.set };
}
