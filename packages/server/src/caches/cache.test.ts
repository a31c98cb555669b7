import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createCaches, createInvalidations, observeCaches } from './index.js';

const clock = { now: () => 0 };
const MB = 1024 * 1024;

test('the least recently used values are evicted beyond the bytes, and a value that is too large is not cached', async () => {
  const made: string[] = [];
  const cache = createCaches(clock).create<string, Uint8Array>({
    name: 'images',
    max: { bytes: 3 * MB, bytesOf: (value) => value.byteLength },
  });
  const get = (key: string, bytes = MB) =>
    cache.getOrLoad(key, async () => {
      made.push(key);
      return new Uint8Array(bytes);
    });
  for (const key of ['a', 'b', 'c']) await get(key);
  await get('a');
  await get('d');
  expect(made).toEqual(['a', 'b', 'c', 'd']);
  await get('a');
  await get('b');
  expect(made).toEqual(['a', 'b', 'c', 'd', 'b']);
  expect((await get('huge', 5 * MB)).byteLength).toBe(5 * MB);
  await get('huge', 5 * MB);
  expect(made).toEqual(['a', 'b', 'c', 'd', 'b', 'huge', 'huge']);
});

test('a value is loaded once for concurrent callers, and again after a failure', async () => {
  let tries = 0;
  const cache = createCaches(clock).create<string, string>({ name: 'texts', max: { entries: 10 } });
  const load = async () => {
    tries += 1;
    if (tries === 1) throw new Error('away');
    return 'made';
  };
  const both = () => Promise.allSettled([cache.getOrLoad('x', load), cache.getOrLoad('x', load)]);
  expect((await both()).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(tries).toBe(1);
  expect((await both()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  expect(tries).toBe(2);
});

test('a value expires after its time to live, also if the clock was set back', () => {
  let now = 1_000;
  const cache = createCaches({ now: () => now }).create<string, number>({
    name: 'x',
    max: { entries: 2 },
    ttl: (value) => value,
  });
  cache.set('short', 10);
  cache.set('long', 100);
  now += 10;
  expect([cache.get('short'), cache.get('long')]).toEqual([undefined, 100]);
  now -= 20;
  expect(cache.get('long')).toBeUndefined();
});

test('a value that was read before a change of its source is not used, even if it is stored after the change', () => {
  const invalidatedBy = createInvalidations(3);
  const cache = createCaches(clock).create<string, string>({ name: 'x', max: { entries: 9 }, invalidatedBy });
  const since = invalidatedBy.now();
  cache.set('one', 'of before', { since, tags: ['project:1'] });
  cache.set('two', 'of before', { since, tags: ['project:2'] });
  cache.set('none', 'nothing is there', { since, tags: null });
  expect(cache.get('none')).toBe('nothing is there');
  invalidatedBy.invalidate(['project:1']);
  expect(['one', 'two', 'none'].map(cache.get)).toEqual([undefined, 'of before', undefined]);
  cache.set('one', 'stored late', { since, tags: ['project:1'] });
  expect(cache.get('one')).toBeUndefined();
  cache.set('one', 'read after it', { since: invalidatedBy.now(), tags: ['project:1'] });
  expect(cache.get('one')).toBe('read after it');
  // more tags than are remembered one by one
  invalidatedBy.invalidate(['project:3', 'project:4', 'project:5']);
  expect(['one', 'two'].map(cache.get)).toEqual([undefined, undefined]);
  cache.set('one', 'anew', { since: invalidatedBy.now(), tags: ['project:1'] });
  invalidatedBy.invalidateAll();
  expect(cache.get('one')).toBeUndefined();
});

test('entries, bytes, hits and misses of each cache are metrics', async () => {
  const registry = new Registry();
  const caches = createCaches(clock);
  observeCaches(registry, caches.stats);
  const texts = caches.create<string, string>({ name: 'texts', max: { bytes: 100, bytesOf: (text) => text.length } });
  texts.set('a', 'four');
  texts.get('a');
  texts.get('a');
  texts.get('b');
  caches.create<string, string>({ name: 'counted', max: { entries: 1 } });
  const metrics = await registry.metrics();
  expect(metrics).toContain('tidemark_cache_entries{cache="texts"} 1\n');
  expect(metrics).toContain('tidemark_cache_bytes{cache="texts"} 4\n');
  expect(metrics).toContain('tidemark_cache_hits_total{cache="texts"} 2\n');
  expect(metrics).toContain('tidemark_cache_misses_total{cache="texts"} 1\n');
  expect(metrics).toContain('tidemark_cache_entries{cache="counted"} 0\n');
  expect(metrics).not.toContain('tidemark_cache_bytes{cache="counted"}');
});
