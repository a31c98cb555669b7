import { expect, test } from 'vitest';
import { QueueFull } from '../http/sdk/index.js';
import { createBoundedQueue } from './bounded-queue.js';

const waiting = (value: string, events = 1, bytes = 10) => ({ value, events, bytes, since: 5 });

test('items are taken in order, up to the limits, but at least one', () => {
  const room = createBoundedQueue<string>(1000);
  for (const [value, events] of [
    ['a', 2],
    ['b', 3],
    ['c', 1],
    ['d', 50],
  ] as const)
    room.add(waiting(value, events));
  expect(room.events()).toBe(56);
  expect(room.take(5, 1000).map((w) => w.value)).toEqual(['a', 'b']);
  expect(room.take(5, 1000).map((w) => w.value)).toEqual(['c']);
  expect(room.take(5, 1000).map((w) => w.value)).toEqual(['d']);
  expect(room.events()).toBe(0);
});

test('it is full until taken items are released', () => {
  const room = createBoundedQueue<string>(100);
  room.add(waiting('a', 1, 60));
  expect(() => room.add(waiting('b', 1, 60))).toThrow(QueueFull);
  const taken = room.take(10, 1000);
  expect(() => room.add(waiting('b', 1, 60))).toThrow(QueueFull);
  expect(room.oldest()).toBe(5);
  room.release(taken);
  room.add(waiting('b', 1, 60));
  expect(room.bytes()).toBe(60);
});

test('an item larger than the limit is accepted when it is empty', () => {
  const room = createBoundedQueue<string>(100);
  room.add(waiting('huge', 1, 5000));
  expect(room.take(10, 100).map((w) => w.value)).toEqual(['huge']);
});

test('it notifies of new items and of its end', async () => {
  const room = createBoundedQueue<string>(100);
  const some = room.waitForItems();
  room.add(waiting('a'));
  expect(await some).toBe(true);
  room.close();
  expect(await room.waitForItems()).toBe(true);
  room.take(10, 100);
  expect(await room.waitForItems()).toBe(false);
  expect(() => room.add(waiting('b'))).toThrow(QueueFull);
});
