import { expect, test } from 'vitest';
import type { DataVersion } from '../../ports/events.js';
import { manualScheduler } from '../../testing/manual-scheduler.js';
import { noEvents } from '../../testing/no-events.js';
import { createRenewals, type ReadVersion } from './renewals.js';

function start() {
  const scheduler = manualScheduler();
  /** What was read from the store: versions, and their days. */
  const read: string[] = [];
  const dataVersion = async (projectId: number): Promise<DataVersion> => {
    read.push(`project ${projectId}`);
    const days = async () => {
      read.push('days');
      return { day: () => '' };
    };
    return { whole: '', profiles: '', days, births: days };
  };
  const renewals = createRenewals({ events: { ...noEvents, dataVersion }, clock: scheduler.clock, scheduler });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    scheduler,
    read,
    begun,
    close: renewals.close,
    add: (
      key: string,
      cost: number,
      more: { projectId?: number; due?: number; before?: (read: () => Promise<ReadVersion>) => Promise<unknown> } = {},
    ) =>
      renewals.add({ key, projectId: more.projectId ?? 1, cost, due: more.due ?? 0 }, async (version) => {
        begun.push(key);
        await more.before?.(version);
        await new Promise<void>((end) => ends.set(key, end));
      }),
    /** Ends a running renewal after some time. */
    end: async (key: string, ms = 0) => {
      await scheduler.advance(ms);
      ends.get(key)?.();
      await scheduler.suspend(0);
      await scheduler.yield();
    },
  };
}

test('two results are renewed at a time, in the order in which they became due', async () => {
  const it = start();
  for (const key of ['a', 'b', 'c', 'd']) it.add(key, 100);
  expect(it.begun).toEqual(['a', 'b']);
  await it.end('b', 10);
  expect(it.begun).toEqual(['a', 'b', 'c']);
  await it.end('a');
  expect(it.begun).toEqual(['a', 'b', 'c', 'd']);
});

test('a result that waits for its turn or is renewed is not added again', async () => {
  const it = start();
  for (const key of ['a', 'b', 'c', 'c', 'a']) it.add(key, 100);
  await it.end('a');
  await it.end('b');
  await it.end('c');
  expect(it.begun).toEqual(['a', 'b', 'c']);
  it.add('a', 100);
  expect(it.begun).toEqual(['a', 'b', 'c', 'a']);
});

test('a result is renewed once when it is first due', async () => {
  const it = start();
  for (const due of [2_000, 1_000, 1_500]) it.add('a', 100, { due });
  it.add('b', 100, { due: 1_200 });
  await it.scheduler.advance(999);
  expect(it.begun).toEqual([]);
  await it.scheduler.advance(1);
  expect(it.begun).toEqual(['a']);
  it.add('b', 100);
  expect(it.begun).toEqual(['a', 'b']);
  await it.end('a');
  await it.end('b', 1_000);
  expect(it.begun).toEqual(['a', 'b']);
});

test('a result is renewed somewhat before it is due where another one would be renewed at the same time', async () => {
  const it = start();
  it.add('a', 400, { due: 5_000 });
  it.add('b', 300, { due: 5_100 });
  it.add('c', 200, { due: 5_400 });
  it.add('d', 100, { due: 6_800 });
  // its turn would be too early
  it.add('e', 2_000, { due: 5_200 });
  for (const [until, begun] of [
    [4_699, []],
    [4_700, ['b']],
    [4_999, ['b']],
    [5_000, ['b', 'a']],
    [5_200, ['b', 'a', 'e']],
    [5_400, ['b', 'a', 'e', 'c']],
    [6_800, ['b', 'a', 'e', 'c', 'd']],
  ] as const) {
    await it.scheduler.advance(until - it.scheduler.uptime());
    for (const key of begun) await it.end(key);
    expect([until, it.begun]).toEqual([until, begun]);
  }
});

test('after the end of the service nothing more is renewed', async () => {
  const it = start();
  for (const key of ['a', 'b', 'c']) it.add(key, 100);
  it.add('d', 100, { due: 1_000 });
  it.close();
  await it.end('a', 2_000);
  it.add('e', 100);
  expect(it.begun).toEqual(['a', 'b']);
});

test('costly results are renewed one after the other, and take a share of a core in the long run', async () => {
  const it = start();
  /** Ends renewals after three seconds each; what has begun after each of them. */
  const renew = async (keys: readonly string[]) => {
    for (const key of keys) it.add(key, 3_000);
    const begun: string[] = [];
    for (const key of keys) {
      await it.end(key, 3_000);
      begun.push(it.begun.join(''));
    }
    it.begun.length = 0;
    return begun;
  };
  // the first renewal of each does not count
  expect(await renew(['a', 'b', 'c', 'd'])).toEqual(['ab', 'abc', 'abcd', 'abcd']);
  for (const key of ['a', 'b', 'c']) it.add(key, 3_000);
  expect(it.begun).toEqual(['a']);
  // what comes at once
  await it.end('a', 3_000);
  expect(it.begun).toEqual(['a', 'b']);
  await it.end('b', 3_000);
  expect(it.begun).toEqual(['a', 'b']);
  it.add('cheap', 100);
  expect(it.begun).toEqual(['a', 'b', 'cheap']);
  await it.scheduler.advance(60_000);
  expect(it.begun).toEqual(['a', 'b', 'cheap', 'c']);
});

test('a result that was not renewed for ten minutes is renewed as if for the first time', async () => {
  const it = start();
  /** Renews two results. Returns what has begun when the first of them ends. */
  const renew = async () => {
    it.begun.length = 0;
    for (const key of ['a', 'b']) it.add(key, 6_000);
    await it.end('a', 6_000);
    const begun = it.begun.join('');
    await it.scheduler.advance(60_000);
    await it.end('b', 6_000);
    return begun;
  };
  expect(await renew()).toBe('ab');
  // now there is a pause after the first
  expect(await renew()).toBe('a');
  await it.scheduler.advance(600_000);
  expect(await renew()).toBe('ab');
});

test('of costly results the one that has waited longest in relation to its cost is next', async () => {
  const it = start();
  for (const [key, cost] of [
    ['running', 1_000],
    ['long', 7_000],
    ['short', 1_000],
  ] as const)
    it.add(key, cost);
  await it.end('running', 1_000);
  expect(it.begun).toEqual(['running', 'short']);
  it.add('running', 1_000);
  await it.end('short', 100);
  // it has waited for a tenth of its cost, the long one for a sixth
  expect(it.begun).toEqual(['running', 'short', 'long']);
});

test('renewals of a project that begin at nearly the same time read its version and days once', async () => {
  const it = start();
  const before = async (read: () => Promise<ReadVersion>) => (await read()).version.days();
  it.add('a', 100, { before });
  await it.scheduler.advance(1_000);
  it.add('b', 100, { before });
  await it.scheduler.advance(0);
  await it.scheduler.yield();
  expect(it.read).toEqual(['project 1', 'days']);
  await it.end('a');
  await it.end('b');
  it.add('other', 100, { projectId: 2, before });
  await it.scheduler.advance(2_000);
  it.add('c', 100, { before });
  await it.scheduler.advance(1);
  expect(it.read).toEqual(['project 1', 'days', 'project 2', 'days', 'project 1', 'days']);
});
