import type { Caches } from '../../caches/index.js';
import { memoryOf } from '../../kernel/json.js';
import type { QueryResult } from '../query.js';
import type { ComputationFigures } from '../statements.js';

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_RESULT_BYTES = 8 * 1024 * 1024;

/** A result with the figures of its computation, which stay when it comes from the cache. */
export type ComputedResult = QueryResult & ComputationFigures;

/** A result that was computed before, as the cache stores it. */
export interface CachedResult {
  result: ComputedResult;
  /** `DataVersion.whole` from before it was computed. */
  dataVersion: string;
  /** When that version was read: the result contains everything that was acknowledged before; epoch milliseconds. */
  completeUntil: number;
  /** When the computation ended, epoch milliseconds. */
  computedAt: number;
  /** Duration of the computation, milliseconds. */
  cost: number;
}

/** Query results by the cache key of their query. The least recently used ones are evicted. */
export interface ResultCache {
  get(key: string): CachedResult | null;
  set(key: string, result: CachedResult): void;
}

export function createResultCache(caches: Caches): ResultCache {
  const results = caches.create<string, CachedResult>({
    name: 'query_results',
    max: { bytes: MAX_BYTES, bytesOfOne: MAX_RESULT_BYTES, bytesOf: ({ result }) => memoryOf(result, MAX_RESULT_BYTES) },
  });
  return { get: (key) => results.get(key) ?? null, set: results.set };
}
