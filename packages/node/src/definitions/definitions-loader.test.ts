import type { FakeAnswer } from '@tidemark/client/testing';
import { describe, expect, test, vi } from 'vitest';
import { fakeNode } from '../testing/fake-node.js';
import type { DefinitionsCache } from './definitions-cache.js';
import { createDefinitionsLoader, type DefinitionsOptions } from './definitions-loader.js';

const PATH = '/flags/definitions';
const flag = (key: string) => ({ id: 1, key, active: true, filters: { groups: [{}] } });
const feed = (...keys: string[]) => ({
  flags: keys.map(flag),
  group_type_mapping: { 0: 'company' },
  cohorts: { 1: { type: 'AND' } },
});
const cached = (...keys: string[]) => ({
  flags: keys.map(flag),
  groupTypeMapping: { 0: 'company' },
  cohorts: { 1: { type: 'AND' } },
});

function load(options: Partial<DefinitionsOptions> = {}, ...replies: FakeAnswer[]) {
  const node = fakeNode();
  node.answer(PATH, ...replies);
  const loader = createDefinitionsLoader(node, {
    host: 'http://tidemark',
    apiKey: 'tmk_1',
    personalApiKey: 'tms_1',
    pollEvery: 30_000,
    timeout: 3_000,
    ...options,
  });
  return { node, loader, keys: () => loader.current()?.source.flags.map(({ key }) => key) };
}

const cacheOf = (overrides: Partial<DefinitionsCache> = {}): DefinitionsCache => ({
  shouldFetch: vi.fn(() => false),
  get: vi.fn(() => cached('shared')),
  set: vi.fn(),
  shutdown: vi.fn(),
  ...overrides,
});

describe('without a shared cache', () => {
  test('LDR-1 a refresh stores what it fetches, and the next follows after the interval', async () => {
    const { node, loader, keys } = load({}, { body: feed('one') }, { body: feed('one', 'two') });
    expect(await loader.ready(1_000)).toBe(true);
    expect(keys()).toEqual(['one']);
    expect(loader.current()?.source).toEqual(cached('one'));
    expect(node.requests[0]).toMatchObject({ method: 'GET', headers: { authorization: 'Bearer tms_1' } });
    expect(new URL(node.requests[0]?.url ?? '').searchParams.get('token')).toBe('tmk_1');
    await node.advance(29_999);
    expect(node.requests).toHaveLength(1);
    await node.advance(1);
    expect(node.requests).toHaveLength(2);
    expect(keys()).toEqual(['one', 'two']);
  });

  test.each<[string, FakeAnswer]>([
    ['503', { status: 503 }],
    ['no answer', 'fail'],
    ['silence', 'hang'],
    ['no JSON', { body: '<html>' }],
    ['other JSON', { body: [] }],
  ])('LDR-2 %s leaves the old definitions, warns, and polling continues', async (_name, reply) => {
    const { node, loader, keys } = load({}, { body: feed('one') }, reply, { body: feed('two') });
    await loader.ready(1_000);
    await node.advance(33_000);
    expect(keys()).toEqual(['one']);
    expect(node.warnings()).toHaveLength(1);
    await node.advance(33_000);
    expect(keys()).toEqual(['two']);
  });

  test('LDR-7 the ETag is sent, and 304 leaves the definitions', async () => {
    const { node, loader, keys } = load({}, { body: feed('one'), headers: { etag: 'W/"a"' } }, { status: 304 });
    const heard = vi.fn();
    loader.onRefresh(heard);
    await loader.ready(1_000);
    await node.advance(60_000);
    expect(keys()).toEqual(['one']);
    expect(node.requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, 'W/"a"', 'W/"a"']);
    expect(heard).toHaveBeenCalledTimes(3);
    expect(node.warnings()).toEqual([]);
  });

  test('LDR-7 a quota error removes the definitions, and the next download is complete', async () => {
    const { node, loader, keys } = load(
      {},
      { body: feed('one'), headers: { etag: '"a"' } },
      { status: 402 },
      { body: feed('two') },
    );
    await loader.ready(1_000);
    await node.advance(30_000);
    expect(keys()).toBeUndefined();
    await node.advance(30_000);
    expect(node.requests.at(-1)?.headers).not.toHaveProperty('if-none-match');
    expect(keys()).toEqual(['two']);
  });

  test('LDR-7 an invalid key and a 429 slow polling down', async () => {
    const refused = load({ pollEvery: 10_000 }, { status: 401 });
    await refused.node.advance(59_999);
    expect(refused.node.requests).toHaveLength(1);
    expect(refused.node.warnings()[0]).toContain('feature_flag:read');
    const limited = load({ pollEvery: 20_000 }, { status: 429 });
    await limited.node.advance(300_000);
    const gaps = limited.node.requests.map(({ at }, i) => at - (limited.node.requests[i - 1]?.at ?? at)).slice(1);
    expect(gaps).toEqual([40_000, 60_000, 60_000, 60_000, 60_000]);
  });

  test('concurrent calls share a refresh, and ready waits no longer than its timeout', async () => {
    const { node, loader } = load({}, 'hang');
    void loader.refresh();
    void loader.refresh();
    const ready = loader.ready(500);
    await node.advance(500);
    expect(await ready).toBe(false);
    expect(node.requests).toHaveLength(1);
  });

  test('shutdown ends polling', async () => {
    const { node, loader } = load({}, { body: feed('one') });
    await loader.ready(1_000);
    await loader.shutdown();
    await loader.shutdown();
    await loader.refresh();
    await node.advance(100_000);
    expect(node.requests).toHaveLength(1);
    expect(node.pendingTimers()).toBe(0);
  });

  test('FLC-8 the setting for short reports survives a 304', async () => {
    const reply = { body: { ...feed('one'), minimal_flag_called_events: true }, headers: { etag: '"a"' } };
    const { node, loader } = load({}, reply, { status: 304 });
    await node.advance(30_000);
    expect(loader.current()?.source.minimalFlagCalledEvents).toBe(true);
  });
});

describe('with a shared cache', () => {
  test('LDR-3 if another process fetches, definitions come from the cache', async () => {
    const cache = cacheOf();
    const { node, loader, keys } = load({ cache });
    await loader.refresh();
    expect(keys()).toEqual(['shared']);
    expect(node.requests).toEqual([]);
  });

  test('LDR-3 an asynchronous cache is awaited', async () => {
    const cache = cacheOf({
      shouldFetch: () => new Promise((resolve) => setTimeout(resolve, 5, false)),
      get: () => new Promise((resolve) => setTimeout(resolve, 5, cached('late'))),
    });
    const { node, loader, keys } = load({ cache });
    await loader.refresh();
    expect(keys()).toEqual(['late']);
    expect(node.requests).toEqual([]);
  });

  test('LDR-4 if this process fetches, it writes to the cache', async () => {
    const cache = cacheOf({ shouldFetch: () => true });
    const { loader, keys } = load({ cache }, { body: feed('one') });
    await loader.refresh();
    expect(cache.set).toHaveBeenCalledExactlyOnceWith(cached('one'));
    expect(cache.get).not.toHaveBeenCalled();
    expect(keys()).toEqual(['one']);
  });

  test('LDR-5 a cache that cannot be read leaves the old definitions, with a warning', async () => {
    const cache = cacheOf();
    const { node, loader, keys } = load({ cache });
    await loader.refresh();
    cache.get = () => Promise.reject(new Error('gone'));
    await loader.refresh();
    expect(keys()).toEqual(['shared']);
    expect(node.warnings()).toEqual([expect.stringContaining('gone')]);
  });

  test('LDR-5 if the cache cannot decide, this process fetches, with a warning', async () => {
    const cache = cacheOf({
      shouldFetch: () => {
        throw new Error('no lock');
      },
    });
    const { node, loader, keys } = load({ cache }, { body: feed('one') });
    await loader.refresh();
    expect(keys()).toEqual(['one']);
    expect(node.warnings()).toEqual([expect.stringContaining('no lock')]);
  });

  test('LDR-6 shutdown closes the cache, and an error of it is a warning', async () => {
    const cache = cacheOf({ shutdown: vi.fn(() => Promise.reject(new Error('stuck'))) });
    const { node, loader } = load({ cache });
    await loader.refresh();
    await loader.shutdown();
    expect(cache.shutdown).toHaveBeenCalledTimes(1);
    expect(node.warnings()).toEqual([expect.stringContaining('stuck')]);
  });

  test('LDR-7 definitions that cannot be written to the cache are used', async () => {
    const cache = cacheOf({ shouldFetch: () => true, set: () => Promise.reject(new Error('full')) });
    const { node, loader, keys } = load({ cache }, { body: feed('one') });
    await loader.refresh();
    expect(keys()).toEqual(['one']);
    expect(node.warnings()).toEqual([expect.stringContaining('full')]);
  });

  test.each([undefined, null])('LDR-7 with an empty cache (%s) and no definitions, this process fetches', async (nothing) => {
    const cache = cacheOf({ get: () => nothing });
    const { loader, keys } = load({ cache }, { body: feed('one') });
    await loader.refresh();
    expect(keys()).toEqual(['one']);
    await loader.refresh();
    expect(keys()).toEqual(['one']);
  });

  test('LDR-7 a cache that hangs is awaited for a limited time', async () => {
    const cache = cacheOf({ shouldFetch: () => new Promise(() => {}) });
    const { node, loader, keys } = load({ cache }, { body: feed('one') });
    void loader.refresh();
    await node.advance(3_000);
    expect(keys()).toEqual(['one']);
  });

  test('FLC-8 the setting for short reports is in the cache', async () => {
    const stored = { current: undefined as unknown };
    const first = cacheOf({
      shouldFetch: () => true,
      set: (definitions) => {
        stored.current = JSON.parse(JSON.stringify(definitions));
      },
    });
    await load({ cache: first }, { body: { ...feed('one'), minimal_flag_called_events: true } }).loader.refresh();
    const second = cacheOf({ get: () => stored.current as ReturnType<DefinitionsCache['get']> });
    const { loader } = load({ cache: second });
    await loader.refresh();
    expect(loader.current()?.source.minimalFlagCalledEvents).toBe(true);
  });
});
