import { expect, test } from 'vitest';
import { QueueFull } from '../http/sdk/index.js';
import { createBoundedQueue } from './bounded-queue.js';

const waiting = (value: string, events = 1, bytes = 10) => ({ value, events, bytes, since: 5 });

test('items are taken in order, up to the limits, but at least one', () => {
  const queue = createBoundedQueue<string>(1000);
  for (const [value, events] of [
    ['a', 2],
    ['b', 3],
    ['c', 1],
    ['d', 50],
  ] as const)
    queue.add(waiting(value, events));
  expect(queue.events()).toBe(56);
  expect(queue.take(5, 1000).map((w) => w.value)).toEqual(['a', 'b']);
  expect(queue.take(5, 1000).map((w) => w.value)).toEqual(['c']);
  expect(queue.take(5, 1000).map((w) => w.value)).toEqual(['d']);
  expect(queue.events()).toBe(0);
});

test('it is full until taken items are released', () => {
  const queue = createBoundedQueue<string>(100);
  queue.add(waiting('a', 1, 60));
  expect(() => queue.add(waiting('b', 1, 60))).toThrow(QueueFull);
  const taken = queue.take(10, 1000);
  expect(() => queue.add(waiting('b', 1, 60))).toThrow(QueueFull);
  expect(queue.oldest()).toBe(5);
  queue.release(taken);
  queue.add(waiting('b', 1, 60));
  expect(queue.bytes()).toBe(60);
});

test('an item larger than the limit is accepted when it is empty', () => {
  const queue = createBoundedQueue<string>(100);
  queue.add(waiting('huge', 1, 5000));
  expect(queue.take(10, 100).map((w) => w.value)).toEqual(['huge']);
});

test('it notifies of new items and of its end', async () => {
  const queue = createBoundedQueue<string>(100);
  const some = queue.waitForItems();
  queue.add(waiting('a'));
  expect(await some).toBe(true);
  queue.close();
  expect(await queue.waitForItems()).toBe(true);
  queue.take(10, 100);
  expect(await queue.waitForItems()).toBe(false);
  expect(() => queue.add(waiting('b'))).toThrow(QueueFull);
});

const history = (value: string, events = 1, bytes = 10) => ({ ...waiting(value, events, bytes), canWait: true });
const valuesOf = (taken: readonly { value: string }[]) => taken.map(({ value }) => value).join('');

test('items that can wait let others go first, but every fifth group is theirs', () => {
  const queue = createBoundedQueue<string>(10_000);
  for (const value of 'abcdefg') queue.add(history(value, 2));
  for (const value of 'ABCDEFGHIJ') queue.add(waiting(value));
  expect([queue.events(), queue.urgentEvents()]).toEqual([24, 10]);
  const groups = Array.from({ length: 9 }, () => valuesOf(queue.take(2, 1000)));
  expect(groups).toEqual(['AB', 'CD', 'EF', 'GH', 'a', 'IJ', 'b', 'c', 'd']);
  queue.add(waiting('K'));
  expect(valuesOf(queue.take(2, 1000))).toBe('K');
  expect([queue.events(), queue.urgentEvents()]).toEqual([6, 0]);
});

test('items that can wait fill half of the queue at most, so that others find a place', () => {
  const queue = createBoundedQueue<string>(100);
  queue.add(history('a', 1, 40));
  expect(() => queue.add(history('b', 1, 20))).toThrow(QueueFull);
  queue.add(waiting('c', 1, 60));
  expect(queue.oldest()).toBe(5);
});
