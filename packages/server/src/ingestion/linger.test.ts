import { expect, test } from 'vitest';
import { createLinger } from './intake.js';

test('small groups are delayed, large and late ones are not', async () => {
  let now = 1000;
  const slept: number[] = [];
  const pace = createLinger({ now: () => now }, 20, async (ms) => {
    slept.push(ms);
  });
  await pace.wait(() => false);
  pace.started();
  now += 5;
  await pace.wait(() => false);
  await pace.wait(() => true);
  now += 15;
  await pace.wait(() => false);
  pace.started();
  now -= 100_000;
  await pace.wait(() => false);
  expect(slept).toEqual([15]);
});
