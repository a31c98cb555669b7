import { expect, test } from 'vitest';
import { createTurns } from './turns.js';

test('a burst goes on a few in each turn of the event loop, in its order', async () => {
  const turns = createTurns(3);
  let turn = 0;
  const count = () => {
    turn++;
    if (turn < 10) setImmediate(count);
  };
  setImmediate(count);
  const went: [caller: number, turn: number][] = [];
  await Promise.all(
    Array.from({ length: 8 }, async (_, caller) => {
      await turns();
      went.push([caller, turn]);
    }),
  );
  expect(went.map(([caller]) => caller)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  const counts = new Map<number, number>();
  for (const [, at] of went) counts.set(at, (counts.get(at) ?? 0) + 1);
  expect([...counts.values()]).toEqual([3, 3, 2]);
});

test('a lone caller does not wait', async () => {
  const turns = createTurns(1);
  let waited = false;
  setImmediate(() => {
    waited = true;
  });
  await turns();
  expect(waited).toBe(false);
});
