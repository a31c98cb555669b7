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
    queue.live.add(waiting(value, events));
  expect(queue.live.events()).toBe(56);
  expect(queue.live.take(5, 1000).map((w) => w.value)).toEqual(['a', 'b']);
  expect(queue.live.take(5, 1000).map((w) => w.value)).toEqual(['c']);
  expect(queue.live.take(5, 1000).map((w) => w.value)).toEqual(['d']);
  expect(queue.live.events()).toBe(0);
});

test('it is full until taken items are released', () => {
  const queue = createBoundedQueue<string>(100);
  queue.live.add(waiting('a', 1, 60));
  expect(() => queue.live.add(waiting('b', 1, 60))).toThrow(QueueFull);
  const taken = queue.live.take(10, 1000);
  expect(() => queue.live.add(waiting('b', 1, 60))).toThrow(QueueFull);
  expect(queue.oldest()).toBe(5);
  queue.release(taken);
  queue.live.add(waiting('b', 1, 60));
  expect(queue.bytes()).toBe(60);
});

test('an item larger than the limit is accepted when it is empty', () => {
  const queue = createBoundedQueue<string>(100);
  queue.live.add(waiting('huge', 1, 5000));
  expect(queue.live.take(10, 100).map((w) => w.value)).toEqual(['huge']);
});

test('it notifies of new items and of its end', async () => {
  const queue = createBoundedQueue<string>(100);
  const some = queue.live.waitForItems();
  queue.live.add(waiting('a'));
  expect(await some).toBe(true);
  queue.close();
  expect(await queue.live.waitForItems()).toBe(true);
  queue.live.take(10, 100);
  expect(await queue.live.waitForItems()).toBe(false);
  expect(() => queue.live.add(waiting('b'))).toThrow(QueueFull);
});

test('each line is emptied on its own', async () => {
  const queue = createBoundedQueue<string>(10_000);
  queue.background.add(waiting('a', 2));
  const live = queue.live.waitForItems();
  expect(await queue.background.waitForItems()).toBe(true);
  queue.live.add({ ...waiting('A'), since: 7 });
  expect(await live).toBe(true);
  expect([queue.live.events(), queue.background.events(), queue.oldest(), queue.bytes()]).toEqual([1, 2, 5, 20]);
  expect(queue.live.take(10, 1000).map(({ value }) => value)).toEqual(['A']);
  expect([queue.live.events(), queue.background.events()]).toEqual([0, 2]);
  const none = queue.live.waitForItems();
  queue.close();
  expect(await none).toBe(false);
  expect(await queue.background.waitForItems()).toBe(true);
});

test('the background fills half of the queue at most, so that others find capacity', () => {
  const queue = createBoundedQueue<string>(100);
  queue.background.add(waiting('a', 1, 40));
  expect(() => queue.background.add(waiting('b', 1, 20))).toThrow(QueueFull);
  queue.live.add(waiting('c', 1, 60));
  expect(queue.oldest()).toBe(5);
});
