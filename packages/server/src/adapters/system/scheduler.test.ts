import { expect, test } from 'vitest';
import { createScheduler } from './index.js';

test('callers that yield at the same time resume in order, one in each turn of the event loop', async () => {
  const scheduler = createScheduler();
  let turn = 0;
  let counting = true;
  const count = () => {
    turn++;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const went: [caller: number, turn: number][] = [];
  const work = async (caller: number) => {
    for (let i = 0; i < 3; i++) {
      await scheduler.yield();
      went.push([caller, turn]);
    }
  };
  await Promise.all([work(0), work(1), work(2)]);
  counting = false;
  expect(went.map(([caller]) => caller)).toEqual([0, 1, 2, 0, 1, 2, 0, 1, 2]);
  expect(new Set(went.map(([, at]) => at)).size).toBe(went.length);
});

test('callers of the background resume when no other waits, and in every fifth turn', async () => {
  const scheduler = createScheduler();
  const went: string[] = [];
  const work = async (name: string, times: number, priority?: 'background') => {
    for (let i = 0; i < times; i++) {
      await scheduler.yield(priority);
      went.push(name);
    }
  };
  await Promise.all([work('b', 3, 'background'), work('A', 6)]);
  expect(went.join('')).toBe('AAAAbAAbb');
});
