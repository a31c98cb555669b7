import { expect, test } from 'vitest';
import { createCache } from './cache.js';

const clock = { now: () => 0 };
const MB = 1024 * 1024;

test('is bounded by bytes: the least recently used values are evicted, and one that is too large is not cached', async () => {
  const made: string[] = [];
  const cache = createCache<Uint8Array>(clock, { ms: () => 1000, bytesOf: (value) => value.byteLength, maxBytes: 4 * MB });
  const get = (key: string, bytes = MB) =>
    cache.get(key, async () => {
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

test('makes a value once for concurrent callers, and again after a failure', async () => {
  let tries = 0;
  const cache = createCache<string>(clock, { ms: () => 1000, bytesOf: (value) => value.length, maxBytes: MB });
  const make = async () => {
    tries += 1;
    if (tries === 1) throw new Error('away');
    return 'made';
  };
  expect((await Promise.allSettled([cache.get('x', make), cache.get('x', make)])).map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
  ]);
  expect(tries).toBe(1);
  expect(await Promise.all([cache.get('x', make), cache.get('x', make)])).toEqual(['made', 'made']);
  expect(tries).toBe(2);
});
