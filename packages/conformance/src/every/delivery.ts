import type { ClientOptions } from '@tidemark/client';
import { flagsAnswer } from '@tidemark/client/testing';
import { describe, expect, test } from 'vitest';
import { type Common, HOST, PROJECT_KEY, type StartCommon } from '../drivers/driver.js';
import { batches, batchesOfEvents, complaints } from '../drivers/seen.js';

export function deliveryContract(startAny: StartCommon): void {
  const start = (options: ClientOptions = {}) => startAny({ disable_flags: true, ...options });
  const captureAll = ({ capture }: Common, ...names: string[]) => {
    for (const name of names) capture(name);
  };

  describe('batches', () => {
    test('BAT-1 HTP-1 a full batch is sent with the project key, and the queue is empty', async () => {
      const { platform, capture, flush } = await start({ flushAt: 2 });
      capture('a');
      await platform.settle();
      expect(platform.requests).toEqual([]);
      capture('b');
      await platform.settle();
      expect(batches(platform)).toEqual([['a', 'b']]);
      expect(platform.requests[0]).toMatchObject({
        url: `${HOST}/batch/`,
        method: 'POST',
        body: { api_key: PROJECT_KEY, sent_at: '2025-01-01T00:00:00.000Z' },
      });
      await flush();
      await platform.advance(60_000);
      expect(platform.requests).toHaveLength(1);
    });

    test('BAT-2 events are sent after the interval, in the order of capture', async () => {
      const waiting = await start({ flushInterval: 10_000 });
      waiting.capture('a');
      await waiting.platform.advance(9_999);
      expect(waiting.platform.requests).toEqual([]);
      await waiting.platform.advance(1);
      expect(batches(waiting.platform)).toEqual([['a']]);
      const full = await start({ flushAt: 3 });
      captureAll(full, 'a', 'b', 'c');
      await full.platform.settle();
      expect(batches(full.platform)).toEqual([['a', 'b', 'c']]);
    });

    test('BAT-3 a batch has at most the configured number of events', async () => {
      const started = await start({ maxBatchSize: 2 });
      captureAll(started, 'a', 'b', 'c');
      await started.flush();
      expect(batches(started.platform)).toEqual([['a', 'b'], ['c']]);
    });

    test('BAT-3 a batch that is too large is halved, down to the event that is too large', async () => {
      const started = await start();
      started.platform.answer('/batch/', ({ body }) => ({ status: JSON.stringify(body).includes('"big"') ? 413 : 200 }));
      captureAll(started, 'a', 'b', 'big', 'c');
      await started.flush();
      expect(batches(started.platform)).toEqual([['a', 'b', 'big', 'c'], ['a', 'b'], ['big', 'c'], ['big'], ['c']]);
    });

    test('BAT-4 an empty queue sends nothing, and concurrent flushes send one request', async () => {
      const { platform, capture, flush } = await start();
      await flush();
      expect(platform.requests).toEqual([]);
      capture('a');
      let answer = (_: object) => {};
      platform.answer('/batch/', () => new Promise((resolve) => (answer = resolve)));
      const ended: string[] = [];
      const flushes = ['first', 'second'].map((name) => flush().then(() => ended.push(name)));
      await platform.settle();
      // a concurrent flush waits for the same response
      expect(ended).toEqual([]);
      answer({});
      await Promise.all(flushes);
      await flush();
      expect(batches(platform)).toEqual([['a']]);
    });
  });

  describe('while the server is unavailable', () => {
    test('BAT-5 HTP-2 RTY-1 an event stays queued after 503, and the next success sends it', async () => {
      const { platform, capture, flush } = await start();
      platform.answer('/batch/', { status: 503 }, { status: 200 });
      capture('a');
      await flush();
      await flush();
      await flush();
      expect(batches(platform)).toEqual([['a'], ['a']]);
    });

    test.each(['fail', { status: 429 }, { status: 500 }, { status: 502 }] as const)(
      'RTY-4 after %j the same events are sent again automatically',
      async (failure) => {
        const { platform, capture, flush } = await start();
        platform.answer('/batch/', failure, { status: 200 });
        capture('a');
        await flush();
        await platform.advance(60_000);
        const [first, second, ...more] = batchesOfEvents(platform);
        expect(second).toEqual(first);
        expect(more).toEqual([]);
      },
    );

    test('RTY-4 retries wait for Retry-After, and become rarer', async () => {
      const { platform, capture, flush } = await start();
      platform.answer('/batch/', { status: 503, headers: { 'Retry-After': '120' } }, 'fail');
      capture('a');
      await flush();
      await platform.advance(119_000);
      expect(platform.requests).toHaveLength(1);
      await platform.advance(24 * 3_600_000);
      const times = platform.requests.map(({ at }) => at);
      const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
      expect(gaps[0]).toBeGreaterThanOrEqual(120_000);
      expect(gaps.at(-1)).toBeGreaterThan(600_000);
      expect(times.length).toBeLessThan(120);
    });

    test.each([400, 401, 403])('RTY-4 events that the server refuses for good (%i) are dropped and logged', async (status) => {
      const { platform, capture, flush } = await start();
      platform.answer('/batch/', { status });
      capture('a');
      await flush();
      await platform.advance(3_600_000);
      expect(platform.requests).toHaveLength(1);
      expect(platform.warnings()).toHaveLength(1);
    });

    test('RTY-2 a full queue drops the oldest events, with a warning', async () => {
      const started = await start({ maxQueueSize: 2 });
      captureAll(started, 'a', 'b', 'c');
      expect(started.platform.warnings()).toHaveLength(1);
      await started.flush();
      expect(batches(started.platform)).toEqual([['b', 'c']]);
    });

    test('RTY-3 events captured while a full queue is being sent stay queued', async () => {
      const started = await start({ maxQueueSize: 3 });
      const { platform, flush } = started;
      let answer = () => {};
      platform.answer('/batch/', () => new Promise((resolve) => (answer = () => resolve({ status: 200 }))), { status: 200 });
      captureAll(started, 'a', 'b', 'c');
      const flying = flush();
      await platform.settle();
      captureAll(started, 'd', 'e', 'f');
      answer();
      await flying;
      await flush();
      expect(batches(platform)).toEqual([
        ['a', 'b', 'c'],
        ['d', 'e', 'f'],
      ]);
    });
  });

  describe('shutdown', () => {
    test('BAT-6 it sends queued events, stops timers, ends capture, and can be called twice', async () => {
      const { platform, queued, capture, flush, shutdown } = await startAny({ feature_flag_cache_ttl_ms: 86_400_000 }, (world) =>
        world.answer('/flags/', { body: flagsAnswer({ a: true }) }),
      );
      await platform.advance(50);
      capture('a');
      await shutdown();
      expect(capture('late')).toBeUndefined();
      await shutdown();
      await flush();
      await platform.advance(600_000);
      expect(queued).toHaveLength(1);
      expect(batches(platform)).toEqual([['a']]);
      expect(platform.pendingTimers()).toBe(0);
    });

    test.each([{ status: 503 }, 'hang'] as const)(
      'BAT-7 with %j it resolves after its timeout, and logs the number of unsent events',
      async (answer) => {
        const { platform, capture, shutdown } = await start();
        platform.answer('/batch/', answer);
        capture('a');
        const done = shutdown();
        await platform.advance(31_000);
        await done;
        expect(complaints(platform).length).toBeGreaterThan(0);
      },
    );

    test('BAT-7 a response after the shutdown starts nothing', async () => {
      const { platform, capture, shutdown } = await start({ disable_flags: true });
      let answer = (_: object) => {};
      platform.answer('/batch/', () => new Promise((resolve) => (answer = resolve)));
      capture('a');
      const done = shutdown();
      await platform.advance(31_000);
      await done;
      const requestCount = platform.requests.length;
      answer({ status: 503 });
      await platform.settle();
      expect(platform.pendingTimers()).toBe(0);
      await platform.advance(600_000);
      expect(platform.requests.length).toBe(requestCount);
    });
  });
}
