import type { Caches } from '../../caches/index.js';
import type { QueryResult } from '../kinds/list.js';

const MOST_BYTES = 64 * 1024 * 1024;
const MOST_OF_ONE = 8 * 1024 * 1024;

/** A result that was computed before. */
export interface KeptResult {
  result: QueryResult;
  /** Of the data that it rests on. */
  version: string;
  /** When it was computed, epoch milliseconds. */
  at: number;
}

/** Results by their question, the least recently used ones forgotten when there is too much of them. */
export interface KeptResults {
  find(key: string): KeptResult | null;
  keep(key: string, kept: KeptResult): void;
}

export function createKeptResults(caches: Caches): KeptResults {
  const results = caches.create<string, KeptResult>({
    name: 'query_results',
    // JavaScript keeps texts in up to two bytes a character
    max: { bytes: MOST_BYTES, bytesOfOne: MOST_OF_ONE, bytesOf: ({ result }) => JSON.stringify(result).length * 2 },
  });
  return { find: (key) => results.get(key) ?? null, keep: results.set };
}
