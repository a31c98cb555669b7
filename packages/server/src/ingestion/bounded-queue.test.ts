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
