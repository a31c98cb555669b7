import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonInTurns } from './json-in-turns.js';

const scheduler = () => {
  const counted = { turns: 0, yield: async () => void counted.turns++ };
  return counted;
};

test('it is what JSON.stringify writes', async () => {
  const item = fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.date({ noInvalidDate: true }));
  const result = fc.record({
    cached: fc.option(fc.boolean(), { nil: undefined }),
    results: fc.oneof(fc.array(item), fc.jsonValue()),
    columns: fc.option(fc.array(fc.string()), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(fc.oneof(result, fc.jsonValue()), async (value) => {
      expect((await jsonInTurns(value, scheduler())).toString()).toBe(JSON.stringify(value));
    }),
  );
});

test('a long list of results is written in several turns', async () => {
  const value = {
    first: 1,
    results: Array.from({ length: 50 }, (_, i) => ({ i, data: Array(20_000).fill(i * 1000) })),
    last: 'x',
  };
  const counted = scheduler();
  expect((await jsonInTurns(value, counted)).toString()).toBe(JSON.stringify(value));
  expect(counted.turns).toBeGreaterThan(6);
  expect(counted.turns).toBeLessThan(50);
  await jsonInTurns({ results: [1, 2] }, counted);
  expect(counted.turns).toBeLessThan(50);
});
