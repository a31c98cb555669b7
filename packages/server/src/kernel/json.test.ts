import { processorMs } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { memoryOf } from './json.js';

test('the memory of a value grows with its texts, numbers and members', () => {
  expect(memoryOf(null)).toBe(8);
  expect(memoryOf('abcd')).toBe(16);
  expect(memoryOf(Array(1000).fill(1))).toBe(24 + 8_000);
  expect(memoryOf({ ab: [1, 'x'] })).toBe(24 + 12 + 24 + 8 + 10);
});

test('counting stops above the limit', async () => {
  const long = { results: Array.from({ length: 1000 }, () => Array(10_000).fill('a text')) };
  expect(memoryOf(long, 1_000_000)).toBeGreaterThan(1_000_000);
  expect(memoryOf(long, 1_000_000)).toBeLessThan(2_000_000);
  const whole = await processorMs(async () => JSON.stringify(long));
  expect(await processorMs(async () => memoryOf(long, 1_000_000))).toBeLessThan(whole / 10);
});
