import { expect, test } from 'vitest';
import { jsonList, jsonLists } from './json-lists.js';

const counted = () => {
  const scheduler = { turns: 0, yield: async () => void scheduler.turns++ };
  return scheduler;
};
const items = Array.from({ length: 40 }, (_, n) => ({ n, text: 'x'.repeat(100_000) }));

test('a long list is written in several turns', async () => {
  const scheduler = counted();
  expect(await jsonList(items, JSON.stringify, scheduler)).toBe(JSON.stringify(items));
  expect(scheduler.turns).toBeGreaterThan(10);
  expect(scheduler.turns).toBeLessThan(items.length);
  expect(await jsonList([], JSON.stringify, scheduler)).toBe('[]');
});

test('lists of limited length have all items in their order', async () => {
  const lists: { n: number }[][] = [];
  for await (const list of jsonLists(items, JSON.stringify, counted(), 1_000_000)) lists.push(JSON.parse(list));
  expect(lists.map((list) => list.length)).toEqual([10, 10, 10, 10]);
  expect(lists.flat()).toEqual(items);
  for await (const list of jsonLists([], JSON.stringify, counted())) expect(list).toBe('none');
});
