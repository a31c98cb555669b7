import { expect, test } from 'vitest';
import { createScheduler } from '../../adapters/system/index.js';
import { manualScheduler } from '../../testing/manual-scheduler.js';
import { createDecodeScheduler } from './decode-scheduler.js';

test('a burst resumes a few callers in each turn of the event loop, in order', async () => {
  const turns = createDecodeScheduler(3_000, createScheduler(), () => false);
  let turn = 0;
  const count = () => {
    turn++;
    if (turn < 10) setImmediate(count);
  };
  setImmediate(count);
  const went: [caller: number, turn: number][] = [];
  await Promise.all(
    Array.from({ length: 8 }, async (_, caller) => {
      await turns(0);
      went.push([caller, turn]);
    }),
  );
  expect(went.map(([caller]) => caller)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  const counts = new Map<number, number>();
  for (const [, at] of went) counts.set(at, (counts.get(at) ?? 0) + 1);
  expect([...counts.values()]).toEqual([3, 3, 2]);
});

test('a single caller does not wait', async () => {
  const turns = createDecodeScheduler(1, createScheduler(), () => false);
  let waited = false;
  setImmediate(() => {
    waited = true;
  });
  await turns(0);
  expect(waited).toBe(false);
});

test('no caller resumes while the budget is exhausted, and all do afterwards', async () => {
  let busy = true;
  const scheduler = manualScheduler();
  const turns = createDecodeScheduler(2_000, scheduler, () => busy);
  let went = 0;
  const all = Promise.all(Array.from({ length: 5 }, () => turns(0).then(() => went++)));
  await scheduler.advance(20);
  expect(went).toBe(0);
  busy = false;
  await scheduler.advance(2);
  await all;
  expect(went).toBe(5);
});

test('large bodies use a turn each, after the small ones of the turn', async () => {
  const turns = createDecodeScheduler(2_000, createScheduler(), () => false);
  const went: number[] = [];
  const ask = async (bytes: number) => {
    await turns(bytes);
    went.push(bytes);
  };
  const all = Promise.all([ask(50_000), ask(60_000), ask(70_000), ask(1), ask(2)]);
  const seen: number[] = [];
  while (went.length < 5) {
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(went.length);
  }
  await all;
  expect(went).toEqual([50_000, 1, 2, 60_000, 70_000]);
  // the first at once; the last in a turn of its own
  expect([...new Set(seen)]).toEqual([4, 5]);
});

test('small bodies go while large ones wait for the stores', async () => {
  const scheduler = manualScheduler();
  let isBusy = true;
  const turns = createDecodeScheduler(2_000, scheduler, (isLarge) => isLarge && isBusy);
  const went: number[] = [];
  const all = Promise.all([5_000, 100, 6_000, 200].map((bytes) => turns(bytes).then(() => went.push(bytes))));
  await scheduler.advance(20);
  expect(went).toEqual([100, 200]);
  isBusy = false;
  await scheduler.advance(20);
  await all;
  expect(went).toEqual([100, 200, 5_000, 6_000]);
});
