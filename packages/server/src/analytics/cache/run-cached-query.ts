import type { Caches } from '../../caches/index.js';
import type { Deps, Ports } from '../../deps.js';
import { ApiError } from '../../kernel/errors.js';
import { type DataVersion, inWorkload, type Workload } from '../../ports/events.js';
import { createExecute } from '../execute.js';
import type { Query } from '../query.js';
import { type PreparedQuery, prepareQuery } from '../run.js';
import { figuresOf, recordStatements } from '../statements.js';
import { type QuerySettings, readQuerySettings } from '../store.js';
import { createZone, type Zone } from '../zone.js';
import { type ComputeOnce, createComputeOnce } from './compute-once.js';
import { createDensities, type Densities } from './densities.js';
import { CHEAP_MS, freshnessOf, lifetimeOf, type Staleness, stalenessOf } from './freshness.js';
import { createIntervalParts, createPartsCache, type PartsCache } from './interval-parts.js';
import { createPersonRows, type PersonRows } from './person-rows.js';
import type { QueryStatus } from './query-runs.js';
import { createRenewals, type Renewals } from './renewals.js';
import { type CachedResult, type ComputedResult, createResultCache, type ResultCache } from './result-cache.js';
import { createSharedResults, type SharedResults } from './shared-results.js';

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
  /** How old a result may be with `refresh` `blocking`, seconds; null: as the project's settings say, or else those of the service. */
  staleness?: number | null | undefined;
  /** Who waits for the result: `interactive` by default. */
  workload?: Workload;
  /** Aborted when the client disconnects. */
  signal?: AbortSignal;
}

/** The result of a query, from the cache or computed, and the state of a background run. */
export interface CachedQueryResult {
  /** Null: no result (yet). */
  result: ComputedResult | null;
  /** The result comes from the cache. */
  isCached: boolean;
  /** When it was computed, epoch milliseconds. */
  computedAt: number | null;
  /** The result contains everything that was acknowledged before this time; epoch milliseconds. */
  completeUntil: number | null;
  cacheKey: string;
  /** State of the background run that was started or joined; null: none. */
  status: QueryStatus | null;
}

/** Cached results of a process, and its running computations. */
export interface QueryResults {
  cache: ResultCache;
  /** Intervals of results, which outlive the results that they are in. */
  parts: PartsCache;
  densities: Densities;
  /** Rows by person of results that are renewed; null: the event store has no tables for them. */
  personRows: PersonRows | null;
  computations: ComputeOnce<CachedResult>;
  /** Computations that nobody waits for. */
  renewals: Renewals;
  /** Results of all servers; null: no other server has the same event store. */
  shared: SharedResults | null;
  /** The computation of each query that began last and still runs, by the query's cache key. */
  running: Map<string, RunningComputation>;
  /** Time zones by name. */
  zoneOf(timezone: string): Zone;
}

export function createQueryResults(ports: Ports, caches: Caches): QueryResults {
  const zones = caches.create<string, Zone>({ name: 'time_zones', max: { entries: 100 } });
  return {
    cache: createResultCache(caches),
    parts: createPartsCache(caches),
    densities: createDensities(ports, caches),
    personRows: createPersonRows(ports, caches),
    computations: createComputeOnce(),
    renewals: createRenewals(ports),
    shared: ports.config.clickhouseUrl === null ? null : createSharedResults(ports),
    running: new Map(),
    zoneOf(timezone) {
      const zone = zones.get(timezone) ?? createZone(timezone);
      zones.set(timezone, zone);
      return zone;
    },
  };
}

/** A computation that other callers may join. */
interface RunningComputation {
  /** Its key in `computations`. */
  key: string;
  /** When its data version was read, epoch milliseconds. */
  completeUntil: number;
}

/**
 * Returns a query result from the cache, computes it, or starts a background run, as `refresh` says. A cached result is current until data
 * of the project change. After that, `blocking` still returns a result for as long as it may be old (freshness.ts), and renews one that takes
 * long in the background. Concurrent equal queries share one computation, also of another server; it is cancelled once all its callers
 * have disconnected.
 * @throws ApiError invalid_input if the query exceeds a limit
 */
export async function runCachedQuery(
  deps: Deps,
  project: { id: number; timezone: string },
  query: Query,
  { refresh, queryId, settings: given, staleness: wanted, workload = 'interactive', signal }: CachedQueryOptions,
): Promise<CachedQueryResult> {
  const { db, events, clock, scheduler } = deps;
  const { queryResults, queryRuns } = deps.services;
  const { id: projectId, timezone } = project;
  const settings = given ?? (await readQuerySettings(db, projectId));
  const zone = queryResults.zoneOf(timezone);
  const hasDenseEvents = () => queryResults.densities.isDense(projectId);
  const context = { projectId, timezone, zone, now: clock.now(), db, settings, hasDenseEvents, scheduler };
  // read before any event: events that arrive during the computation make its result outdated
  const completeUntil = clock.now();
  // in parallel: a cache hit waits for both
  const [ready, version] = await Promise.all([
    prepareQuery(query, context),
    refresh === 'force_cache' ? null : events.dataVersion(projectId),
  ]);
  const isForced = refresh === 'force_blocking' || refresh === 'force_async';
  const cached = isForced ? null : queryResults.cache.get(ready.key);
  const respond = (
    computed: CachedResult | null,
    isCached: boolean,
    { status = null, complete = computed?.completeUntil ?? null }: { status?: QueryStatus | null; complete?: number | null } = {},
  ): CachedQueryResult => ({
    result: computed?.result ?? null,
    isCached: isCached && computed !== null,
    computedAt: computed?.computedAt ?? null,
    completeUntil: complete,
    cacheKey: ready.key,
    status,
  });
  if (version === null) return respond(cached, true);
  if (cached?.dataVersion === version.whole) return respond(cached, true, { complete: completeUntil });
  const seconds = refresh === 'blocking' ? (wanted ?? settings.staleness ?? deps.config.stalenessSeconds) : 0;
  const staleness = stalenessOf(query, { milliseconds: seconds * 1000, isExact: typeof wanted === 'number' });
  const completeSince = completeSinceOf(completeUntil, staleness, cached);
  const cost = cached?.cost ?? null;
  const computation = { ready, version, completeUntil, completeSince, projectId, isForced, staleness, cost, workload };
  if (refresh === 'blocking' && cached) {
    const { isUsable, renewIn } = freshnessOf(cached, staleness, completeUntil, queryResults.renewals.has(ready.key));
    if (renewIn !== null) renew(deps, computation, cached, renewIn);
    if (isUsable) return respond(cached, true);
  }
  if (refresh === 'blocking' || refresh === 'force_blocking' || (refresh === 'async_except_on_cache_miss' && !cached)) {
    const computed = await computeForCaller(deps, computation, { queryId, signal });
    // another server may have computed it before
    return respond(computed, computed.computedAt < completeUntil);
  }
  const id = queryId ?? deps.ids.uuid();
  const experimentId = query.kind === 'ExperimentQuery' ? query.experimentId : null;
  const status = await queryRuns.start(
    project.id,
    { name: id, experimentId },
    async (ended) => (await compute(deps, computation, ended)).result,
  );
  return respond(cached, true, { status });
}

interface Computation {
  ready: PreparedQuery;
  version: DataVersion;
  /** When the version was read, epoch milliseconds. */
  completeUntil: number;
  projectId: number;
  /** Nothing of it may come from a cache. */
  isForced: boolean;
  /** How old its result may be. */
  staleness: Staleness;
  /** A result of another server must be complete until this time or later, epoch milliseconds. */
  completeSince: number;
  /** Duration of the last computation of the query, milliseconds; null: unknown. */
  cost: number | null;
  workload: Workload;
}

/** Until when a result of another server must be complete at a time: it may be as old as an own one, and is newer. */
function completeSinceOf(at: number, staleness: Staleness, cached: CachedResult | null): number {
  const lifetime = Math.max(staleness.milliseconds, lifetimeOf(cached?.cost ?? 0, staleness));
  return Math.max(at - lifetime, (cached?.completeUntil ?? 0) + 1);
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

/** Computes a result anew that nobody waits for, in `due` milliseconds and as soon as it is its turn, unless somebody does so before. */
function renew(deps: Deps, computation: Computation, former: CachedResult, due: number): void {
  const { projectId, staleness } = computation;
  const { key } = computation.ready;
  const { renewals, running, cache } = deps.services.queryResults;
  renewals.add({ key, projectId, cost: former.cost, due }, async (read) => {
    try {
      if (running.has(key)) return;
      const { version, at } = await read();
      const cached = cache.get(key);
      if (cached && (cached.completeUntil > former.completeUntil || cached.dataVersion === version.whole)) return;
      const completeSince = completeSinceOf(at, staleness, cached);
      await compute(deps, { ...computation, version, completeUntil: at, completeSince, workload: 'background' }, undefined);
    } catch (error) {
      deps.log.warn({ err: error, project: projectId }, 'a result could not be renewed; the next caller computes it');
    }
  });
}

/** Computes a result, or takes that of a computation which runs here or at another server, and caches it. */
async function compute(deps: Deps, computation: Computation, signal: AbortSignal | undefined): Promise<CachedResult> {
  const { ready, version, completeUntil, completeSince, projectId, workload } = computation;
  const { computations, running, cache, shared } = deps.services.queryResults;
  const work = async (ended: AbortSignal): Promise<CachedResult> => {
    const own = { key, completeUntil };
    // somebody at a screen does not wait for the slower computation of an export
    if (workload !== 'export') running.set(ready.key, own);
    try {
      const computeHere = () => computeResult(deps, computation, ended);
      const wanted = { key: ready.key, projectId, dataVersion: version.whole, completeSince };
      const computed = await (shared && isShareable(computation) ? shared.compute(wanted, computeHere, ended) : computeHere());
      // the cache counts the memory of the result, which may have a million numbers
      await deps.scheduler.yield();
      cache.set(ready.key, computed);
      // cached HTTP responses of the project show the older result
      deps.services.responseCache.invalidateProject(projectId);
      return computed;
    } finally {
      if (running.get(ready.key) === own) running.delete(ready.key);
    }
  };
  // the data version is part of the key: a caller must not get a result without events that it has stored before
  const key =
    joinable(running.get(ready.key), computation, deps.clock.now())?.key ??
    [ready.key, version.whole, ...(workload === 'export' ? [workload] : [])].join(' ');
  return computations.run(key, work, signal);
}

async function computeResult(deps: Deps, computation: Computation, signal: AbortSignal): Promise<CachedResult> {
  const { ready, version, completeUntil, projectId, isForced, workload } = computation;
  const begun = performance.now();
  const store = inWorkload(deps.events, workload);
  const { events, statements } = recordStatements(store);
  const { parts, personRows } = deps.services.queryResults;
  const persons = personRows && { rows: personRows, run: createExecute(store, projectId, signal) };
  const intervals = createIntervalParts(parts, { projectId, version, now: completeUntil, workload, persons });
  const result = await ready.compute(events, signal, isForced ? undefined : intervals);
  const cost = performance.now() - begun;
  return {
    result: { ...result, ...figuresOf(statements, cost, intervals.reused()) },
    dataVersion: version.whole,
    completeUntil,
    computedAt: deps.clock.now(),
    cost,
  };
}

/** Whether servers share the result: it may be old, and is not known to be cheap. */
const isShareable = ({ staleness, cost }: Computation): boolean => staleness.milliseconds > 0 && (cost ?? CHEAP_MS) >= CHEAP_MS;

/** The running computation, if its result will be good enough for the caller. */
function joinable(
  running: RunningComputation | undefined,
  { staleness, cost }: Computation,
  now: number,
): RunningComputation | undefined {
  if (!running) return undefined;
  const age = now - running.completeUntil;
  return age >= 0 && age < lifetimeOf(cost ?? age, staleness) ? running : undefined;
}
