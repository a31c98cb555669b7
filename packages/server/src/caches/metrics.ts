import { Counter, Gauge, type Registry } from 'prom-client';
import type { CacheStats } from './cache.js';

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
