import { expect, test } from 'vitest';
import { createPace } from './pace.js';

test('small groups keep their distance, large and late ones do not wait', async () => {
  let now = 1000;
  const slept: number[] = [];
  const pace = createPace({ now: () => now }, 20, async (ms) => {
    slept.push(ms);
  });
  await pace.ready(() => false);
  pace.started();
  now += 5;
  await pace.ready(() => false);
  await pace.ready(() => true);
  now += 15;
  await pace.ready(() => false);
  pace.started();
  now -= 100_000;
  await pace.ready(() => false);
  expect(slept).toEqual([15]);
});
