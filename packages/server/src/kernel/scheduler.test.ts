import { expect, test } from 'vitest';
import { manualScheduler } from '../testing/manual-scheduler.js';
import { inBackground, sleep, withinTime } from './scheduler.js';

test('a sleep ends after its time, or at once with the reason of its signal', async () => {
  const scheduler = manualScheduler();
  const stop = new AbortController();
  const ended: unknown[] = [];
  void sleep(scheduler, 100).then(() => ended.push('slept'));
  sleep(scheduler, 200, stop.signal).catch((reason) => ended.push(reason));
  await scheduler.advance(99);
  expect(ended).toEqual([]);
  await scheduler.advance(1);
  expect(ended).toEqual(['slept']);
  stop.abort('stopped');
  await scheduler.advance(0);
  expect(ended).toEqual(['slept', 'stopped']);
  await expect(sleep(scheduler, 1, stop.signal)).rejects.toBe('stopped');
});

test('work that takes too long fails its caller, and its own late error is ignored', async () => {
  const scheduler = manualScheduler();
  await expect(withinTime(scheduler, 10, Promise.resolve(1), () => 2)).resolves.toBe(1);
  await expect(withinTime(scheduler, 10, Promise.reject(new Error('bad')), () => 2)).rejects.toThrow('bad');
  let fail = (_: Error) => {};
  const slow = new Promise<number>((_, reject) => {
    fail = reject;
  });
  const late = withinTime(scheduler, 10, slow, () => 2);
  const refused = expect(
    withinTime(scheduler, 10, slow, () => {
      throw new Error('late');
    }),
  ).rejects.toThrow('late');
  await scheduler.advance(10);
  await expect(late).resolves.toBe(2);
  await refused;
  fail(new Error('too late'));
});

test('work in the background pauses while somebody waits, but not for longer than 20 ms', async () => {
  const scheduler = manualScheduler();
  let isBusy = true;
  const background = inBackground(scheduler, () => isBusy);
  const ended: number[] = [];
  const pause = () => void background.yield().then(() => ended.push(scheduler.uptime()));
  pause();
  await scheduler.advance(6);
  isBusy = false;
  await scheduler.advance(4);
  expect(ended).toEqual([8]);
  isBusy = true;
  pause();
  await scheduler.advance(19);
  expect(ended).toEqual([8]);
  await scheduler.advance(5);
  expect(ended).toEqual([8, 30]);
});
