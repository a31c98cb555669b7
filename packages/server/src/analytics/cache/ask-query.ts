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

/** How a result is come by. */
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
  /** By what the computation can be polled or ended; made up where there is none. */
  queryId: string | null;
  /** The project's settings, where they were read before: for several queries at once. */
  settings?: QuerySettings | undefined;
  /** Whoever asks has gone when it is aborted. */
  signal?: AbortSignal;
}

/** What is known of the answer to a query. */
export interface CachedQueryResult {
  /** Null when there is none (yet). */
  result: QueryResult | null;
  /** Whether it was computed before. */
  isCached: boolean;
  /** When it was computed, epoch milliseconds. */
  computedAt: number | null;
  cacheKey: string;
  /** Of the computation in the background that was begun, or goes on. */
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
 * Answers a query from what was computed before, by computing it now, or by beginning to. A result is fresh until anything is stored;
 * whoever asks the same at the same time waits for one computation, which the engine ends when all of them have gone.
 * @throws ApiError invalid_input when it asks for too much
 */
export async function runCachedQuery(
  deps: Deps,
  project: { id: number; timezone: string },
  query: Query,
  { refresh, queryId, settings, signal }: CachedQueryOptions,
): Promise<CachedQueryResult> {
  const { db, events, clock } = deps;
  const context = { projectId: project.id, timezone: project.timezone, now: clock.now(), db, settings };
  // at once, as both are waited for by whoever reads what was computed before
  const [ready, version] = await Promise.all([
    prepareQuery(events, query, context),
    // asked for before any rows are read: what comes in meanwhile makes the result old
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
    // of the version too: who has stored something since does not get an answer without it
    `${ready.key} ${version}`,
    async (ended) => {
      const kept = { result: await ready.compute(ended), version, at: deps.clock.now() };
      deps.services.queryResults.kept.keep(ready.key, kept);
      // what showed an older result, or none, is not the answer any more
      deps.services.responseCache.changed(projectId);
      return kept;
    },
    signal,
  );
