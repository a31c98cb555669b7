import { LRUCache } from 'lru-cache';
import type { Clock } from '../../ports/system.js';

/** Values that are computed once and served for a while. Concurrent callers of a key share one computation. */
export interface Cache<T> {
  get(key: string, compute: () => Promise<T>): Promise<T>;
}

interface Entry<T> {
  value: T;
  /** Epoch milliseconds. */
  computedAt: number;
  until: number;
}

export interface CacheOptions<T> {
  /** How long a value is served from the cache; milliseconds. */
  ms: (value: T) => number;
  /** Estimated bytes of a value in memory. */
  bytesOf: (value: T) => number;
  /** The least recently used values are evicted while all together take more. A larger value is not cached. */
  maxBytes: number;
}

/** Bytes of an entry besides its key and value. */
const ENTRY_BYTES = 400;

/** Creates a cache with eviction by size. A computation that fails is not cached. */
export function createCache<T>(clock: Clock, { ms, bytesOf, maxBytes }: CacheOptions<T>): Cache<T> {
  const entries = new LRUCache<string, Entry<T>>({
    maxSize: maxBytes,
    sizeCalculation: ({ value }, key) => ENTRY_BYTES + key.length + Math.ceil(bytesOf(value)),
  });
  const pending = new Map<string, Promise<T>>();
  return {
    get: async (key, compute) => {
      const found = entries.get(key);
      const now = clock.now();
      // an entry from the future: the clock was set back
      if (found && found.computedAt <= now && now < found.until) return found.value;
      const running = pending.get(key);
      if (running) return running;
      const value = compute();
      pending.set(key, value);
      try {
        const computed = await value;
        const computedAt = clock.now();
        entries.set(key, { value: computed, computedAt, until: computedAt + ms(computed) });
        return computed;
      } finally {
        pending.delete(key);
      }
    },
  };
}
