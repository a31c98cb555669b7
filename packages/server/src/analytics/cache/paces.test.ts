import { expect, test } from 'vitest';
import { createCaches } from '../../caches/index.js';
import { createPaces } from './paces.js';

const DAY = 86_400_000;
const NOW = 100 * DAY;
/** The days before now, the last of which is not over. */
const days = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    from: NOW - (count - index - 0.5) * DAY,
    to: NOW - (count - index - 1.5) * DAY,
  }));

function start() {
  const paces = createPaces(createCaches({ now: () => NOW }));
  return {
    next: (statement: string, count: number) => paces.next(statement, 1, days(count), NOW),
    /** A statement has read days in some milliseconds. */
    took: (statement: string, count: number, milliseconds: number) => {
      const read = days(count);
      paces.took(statement, 1, { from: read[0]?.from ?? 0, to: read.at(-1)?.to ?? 0 }, milliseconds, NOW);
    },
  };
}

test('nothing is known at first: the two newest intervals are read', () => {
  expect(start().next('a', 30)).toBe(2);
});

test('a quick statement reads all intervals, and so does the next one', () => {
  const it = start();
  it.took('a', 2, 5);
  expect(it.next('a', 30)).toBe(30);
  expect(it.next('b', 30)).toBe(30);
});

test('a slow statement reads as many intervals as take two seconds, and at least one', () => {
  const it = start();
  it.took('a', 2, 1_000);
  expect(it.next('a', 30)).toBe(3);
  it.took('a', 4, 20_000);
  expect(it.next('a', 30)).toBe(1);
});

test('a statement that is new in a project with slow ones reads the two newest intervals first', () => {
  const it = start();
  it.took('a', 2, 1_000);
  expect(it.next('b', 30)).toBe(2);
  it.took('b', 2, 2);
  expect(it.next('b', 28)).toBe(28);
});

test('a time that is to come tells nothing', () => {
  const it = start();
  createPaces(createCaches({ now: () => NOW })).took('a', 1, { from: NOW, to: NOW + DAY }, 5, NOW);
  expect(it.next('a', 30)).toBe(2);
});
