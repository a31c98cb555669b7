import { LRUCache } from 'lru-cache';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '../ports/system.js';
import type { Invalidations } from './invalidations.js';

/** What an entry takes besides its key and value; bytes. */
export const ENTRY_BYTES = 400;

interface CacheOptions<Key, Value> {
  /** Names the cache in metrics. */
  name: string;
  /** The least recently used entries are evicted beyond so many, or so many bytes. */
  max: { entries: number } | { bytes: number; bytesOf: (value: Value, key: Key) => number; bytesOfOne?: number };
  /** How long an entry is used; milliseconds. Unlimited by default. */
  ttl?: number | ((value: Value) => number);
  /** What makes entries outdated before their time. */
  invalidatedBy?: Invalidations;
}

/** What a value depends on. */
interface Dependencies {
  /** `Invalidations.now` from before the value was read. */
  since: number;
  /** null: it depends on everything. */
  tags: readonly string[] | null;
}

/** An entry, which may be outdated. */
export interface CacheEntry<Value> extends Partial<Dependencies> {
  readonly value: Value;
  /** Epoch milliseconds. */
  readonly storedAt: number;
}

/** Values by key, in memory. */
export interface Cache<Key, Value> {
  /** The value, unless there is none, or its time is over, or it is outdated. */
  get(key: Key): Value | undefined;
  /** The entry however old it is; not counted as a lookup. */
  peek(key: Key): CacheEntry<Value> | undefined;
  /** Whether what an entry depends on has not been invalidated. */
  isCurrent(entry: CacheEntry<Value>): boolean;
  /** Stores a value. Of a cache with `invalidatedBy`, the value must name its dependencies. */
  set(key: Key, value: Value, dependencies?: Dependencies): void;
  delete(key: Key): void;
  /**
   * The value, or what `load` resolves with: callers at the same time wait for one load. A failure is not cached. Not for values that can
   * be invalidated: see `createRefreshingCache`.
   */
  getOrLoad(key: Key, load: () => Promise<Value>): Promise<Value>;
}

/** Numbers of one cache. */
interface CacheStats {
  name: string;
  entries: number;
  /** null: it is bounded by entries, and its bytes are not known. */
  bytes: number | null;
  hits: number;
  misses: number;
}

/** Makes the caches of a process and lists them. */
export interface Caches {
  create<Key extends string | number, Value>(options: CacheOptions<Key, Value>): Cache<Key, Value>;
  /** Lists a cache that is made elsewhere. */
  add(stats: () => CacheStats): void;
  stats(): CacheStats[];
}

export function createCaches(clock: Clock): Caches {
  const all: (() => CacheStats)[] = [];
  return {
    create: (options) => {
      const { cache, stats } = createCache(clock, options);
      all.push(stats);
      return cache;
    },
    add: (stats) => {
      all.push(stats);
    },
    stats: () => all.map((stats) => stats()),
  };
}

function createCache<Key extends string | number, Value>(
  clock: Clock,
  { name, max, ttl = Number.POSITIVE_INFINITY, invalidatedBy }: CacheOptions<Key, Value>,
): { cache: Cache<Key, Value>; stats: () => CacheStats } {
  const entries =
    'entries' in max
      ? new LRUCache<Key, CacheEntry<Value>>({ max: max.entries })
      : new LRUCache<Key, CacheEntry<Value>>({
          maxSize: max.bytes,
          maxEntrySize: max.bytesOfOne ?? max.bytes,
          sizeCalculation: ({ value }, key) => Math.max(1, Math.ceil(max.bytesOf(value, key))),
        });
  const loads = new Map<Key, Promise<Value>>();
  let hits = 0;
  let misses = 0;
  const isInTime = ({ value, storedAt }: CacheEntry<Value>): boolean => {
    if (ttl === Number.POSITIVE_INFINITY) return true;
    const age = clock.now() - storedAt;
    // a negative age: the clock was set back, and the entry would live too long
    return age >= 0 && age < (typeof ttl === 'number' ? ttl : ttl(value));
  };
  const isCurrent = ({ tags = [], since = 0 }: CacheEntry<Value>): boolean => invalidatedBy?.areCurrent(tags, since) ?? true;

  const cache: Cache<Key, Value> = {
    get: (key) => {
      const entry = entries.get(key);
      if (entry && isInTime(entry) && isCurrent(entry)) {
        hits += 1;
        return entry.value;
      }
      misses += 1;
      return undefined;
    },
    peek: (key) => entries.peek(key),
    isCurrent,
    set: (key, value, dependencies) => {
      entries.set(key, { value, storedAt: clock.now(), ...dependencies });
    },
    delete: (key) => {
      entries.delete(key);
    },
    getOrLoad: (key, load) => {
      const known = cache.get(key);
      if (known !== undefined) return Promise.resolve(known);
      const running = loads.get(key);
      if (running) return running;
      const loading = load()
        .then((value) => {
          cache.set(key, value);
          return value;
        })
        .finally(() => loads.delete(key));
      loads.set(key, loading);
      return loading;
    },
  };
  const stats = () => ({ name, entries: entries.size, bytes: 'bytes' in max ? entries.calculatedSize : null, hits, misses });
  return { cache, stats };
}

/** Shows entries, bytes, hits and misses of each cache in the metrics; they are read when the metrics are. */
export function observeCaches(registry: Registry, stats: () => readonly CacheStats[]): void {
  const options = { labelNames: ['cache'], registers: [registry] };
  new Gauge({
    name: 'tidemark_cache_entries',
    help: 'Entries of each cache',
    ...options,
    collect() {
      for (const { name, entries } of stats()) this.set({ cache: name }, entries);
    },
  });
  new Gauge({
    name: 'tidemark_cache_bytes',
    help: 'Bytes of each cache that is bounded by bytes',
    ...options,
    collect() {
      for (const { name, bytes } of stats()) if (bytes !== null) this.set({ cache: name }, bytes);
    },
  });
  for (const outcome of ['hits', 'misses'] as const) {
    new Counter({
      name: `tidemark_cache_${outcome}_total`,
      help: outcome === 'hits' ? 'Lookups that found a usable entry' : 'Lookups that found no usable entry',
      ...options,
      collect() {
        this.reset();
        for (const numbers of stats()) this.inc({ cache: numbers.name }, numbers[outcome]);
      },
    });
  }
}
