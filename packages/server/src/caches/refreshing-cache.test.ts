import { expect, test } from 'vitest';
import { type ManualScheduler, manualScheduler } from '../testing/manual-scheduler.js';
import { createCaches, createInvalidations, createRefreshingCache } from './index.js';

/** A cache of one key whose reads end when the test says so. */
function start({ revalidatesBehind = false } = {}) {
  const scheduler: ManualScheduler = manualScheduler();
  const { clock } = scheduler;
  const invalidatedBy = createInvalidations();
  const reads: { end: (value: string | null) => void; fail: () => void }[] = [];
  const failures: unknown[] = [];
  const cache = createRefreshingCache<string, string>({ clock, scheduler }, createCaches(clock), {
    name: 'texts',
    maxEntries: 10,
    maxAbsent: 10,
    invalidatedBy,
    tagsOf: (_key, value) => (value === null ? null : ['text']),
    freshMs: () => 5_000,
    staleMs: 600_000,
    patienceMs: 300,
    revalidatesBehind: () => revalidatesBehind,
    read: () => new Promise((end, fail) => reads.push({ end, fail: () => fail(new Error('away')) })),
    onFailure: (error) => failures.push(error),
  });
  const get = () => cache.get('x');
  /** Has the value read, which is `value` then. */
  const known = async (value: string | null) => {
    const found = get();
    reads.at(-1)?.end(value);
    expect(await found).toBe(value);
  };
  return { scheduler, invalidatedBy, cache, reads, failures, get, known };
}

test('a value is read once for concurrent callers, and again after its time to live', async () => {
  const { scheduler, reads, get, known } = start();
  const both = Promise.all([get(), get()]);
  reads[0]?.end('a');
  expect(await both).toEqual(['a', 'a']);
  await scheduler.advance(4_999);
  expect(await get()).toBe('a');
  expect(reads).toHaveLength(1);
  await scheduler.advance(1);
  await known('b');
  scheduler.setClock(-1_000_000);
  await known('c');
});

test('a value that changes while it is read is read again for the next caller', async () => {
  const { invalidatedBy, cache, reads, get, known } = start();
  await known('a');
  invalidatedBy.invalidate(['text']);
  const early = get();
  invalidatedBy.invalidate(['text']);
  reads[1]?.end('of before the second change');
  expect(await early).toBe('of before the second change');
  expect(cache.isCurrent('x', 'of before the second change')).toBe(false);
  await known('of after it');
  expect(cache.isCurrent('x', 'of after it')).toBe(true);
  expect(await get()).toBe('of after it');
  expect(reads).toHaveLength(3);
});

test('callers after a change do not join an earlier read, and that read replaces nothing', async () => {
  const { invalidatedBy, reads, get, known } = start();
  await known('a');
  invalidatedBy.invalidate(['text']);
  const early = get();
  invalidatedBy.invalidate(['text']);
  await known('new');
  reads[1]?.end('old');
  expect(await early).toBe('old');
  expect(await get()).toBe('new');
});

test('a first read that a change invalidated is used while the next one fails', async () => {
  const { invalidatedBy, reads, failures, get } = start();
  const first = get();
  invalidatedBy.invalidate(['something else']);
  const second = get();
  reads[0]?.end('a');
  expect(await first).toBe('a');
  reads[1]?.fail();
  await expect(second).rejects.toThrow('away');
  // the text itself did not change
  expect(await get()).toBe('a');
  invalidatedBy.invalidate(['text']);
  expect(await get()).toBe('a');
  expect(reads).toHaveLength(2);
  expect(failures).toHaveLength(1);
});

test('while reads fail or are slow the previous value is used: for a second without a new read, and for minutes', async () => {
  const { scheduler, invalidatedBy, reads, get, known } = start();
  await known('a');
  invalidatedBy.invalidate(['text']);
  const failed = get();
  reads[1]?.fail();
  expect(await failed).toBe('a');
  expect(await get()).toBe('a');
  expect(reads).toHaveLength(2);
  await scheduler.advance(1_000);
  const slow = get();
  await scheduler.advance(300);
  expect(await slow).toBe('a');
  // the same read, which nobody waits for any more
  expect(await get()).toBe('a');
  expect(reads).toHaveLength(3);
  await scheduler.advance(3_000);
  const beside = get();
  expect(reads).toHaveLength(4);
  reads[3]?.end('b');
  expect(await beside).toBe('b');
  reads[2]?.end('from a dead connection');
  await scheduler.advance(600_001);
  const tooOld = get();
  reads[4]?.fail();
  await expect(tooOld).rejects.toThrow('away');
});

test('a missing value is cached until any change, and not used instead of a failed read', async () => {
  const { invalidatedBy, reads, get, known } = start();
  await known(null);
  expect(await get()).toBeNull();
  expect(reads).toHaveLength(1);
  invalidatedBy.invalidate(['something else']);
  const failed = get();
  reads[1]?.fail();
  await expect(failed).rejects.toThrow('away');
  const early = get();
  invalidatedBy.invalidate(['something else']);
  reads[2]?.end(null);
  expect(await early).toBeNull();
  await known('made meanwhile');
});

test('a stale but unchanged value may be used at once and refreshed in the background', async () => {
  const { scheduler, invalidatedBy, reads, get, known } = start({ revalidatesBehind: true });
  await known('a');
  await scheduler.advance(5_000);
  expect(await get()).toBe('a');
  reads[1]?.end('b');
  await scheduler.advance(1);
  expect(await get()).toBe('b');
  invalidatedBy.invalidate(['text']);
  await known('c');
});
