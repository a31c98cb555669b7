import { LRUCache } from 'lru-cache';
import type { Clock } from '../../ports/system.js';

/** What was made for a key and is given again for a while; who asks while it is made waits for it. */
export interface Kept<T> {
  get(key: string, make: () => Promise<T>): Promise<T>;
}

interface Entry<T> {
  value: T;
  /** Epoch milliseconds. */
  madeAt: number;
  until: number;
}

export interface KeptOptions<T> {
  /** How long a value is served from the cache; milliseconds. */
  ms: (value: T) => number;
  /** Bytes of memory that a value takes, at least about. */
  bytesOf: (value: T) => number;
  /** The least recently used values are evicted while all together take more. A larger value is not cached. */
  maxBytes: number;
}

/** What an entry takes beside its value; bytes. */
const ENTRY_BYTES = 400;

/** A cache that makes each value once for concurrent callers. A failure is not cached. */
export function createKept<T>(clock: Clock, { ms, bytesOf, maxBytes }: KeptOptions<T>): Kept<T> {
  const entries = new LRUCache<string, Entry<T>>({
    maxSize: maxBytes,
    sizeCalculation: ({ value }, key) => ENTRY_BYTES + key.length + Math.ceil(bytesOf(value)),
  });
  const pending = new Map<string, Promise<T>>();
  return {
    get: async (key, make) => {
      const found = entries.get(key);
      const now = clock.now();
      // not one that was made later than now: the clock was set back
      if (found && found.madeAt <= now && now < found.until) return found.value;
      const running = pending.get(key);
      if (running) return running;
      const value = make();
      pending.set(key, value);
      try {
        const made = await value;
        const madeAt = clock.now();
        entries.set(key, { value: made, madeAt, until: madeAt + ms(made) });
        return made;
      } finally {
        pending.delete(key);
      }
    },
  };
}
