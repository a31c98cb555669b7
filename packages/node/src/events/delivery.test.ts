import { describe, expect, test } from 'vitest';
import { fakeNode } from '../testing/fake-node.js';
import { PROJECT_KEY, startClient } from '../testing/start-client.js';

const capture = ({ client }: ReturnType<typeof startClient>, ...events: string[]) => {
  for (const event of events) client.capture({ distinctId: 'user-123', event });
};
const names = ({ sent }: ReturnType<typeof startClient>) => sent().map(({ event }) => event);
const batches = ({ node }: ReturnType<typeof startClient>) =>
  node.requestsTo('/batch/').map(({ body }) => (body as { batch: { event: string }[] }).batch.map(({ event }) => event));

describe('batches', () => {
  test('BAT-3 a request has at most maxBatchSize events, and 413 halves it', async () => {
    const node = fakeNode();
    node.answer('/batch/', {}, { status: 413 }, {});
    const started = startClient({ maxBatchSize: 4 }, node);
    capture(started, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
    await started.client.flush();
    expect(batches(started)).toEqual([
      ['a', 'b', 'c', 'd'],
      ['e', 'f', 'g', 'h'],
      ['e', 'f'],
      ['g', 'h'],
    ]);
  });

  test('BAT-4 HTP-1 flush sends at once, with the project key and JSON, and sends nothing if the queue is empty', async () => {
    const started = startClient();
    await started.client.flush();
    expect(started.node.requests).toEqual([]);
    capture(started, 'a');
    await Promise.all([started.client.flush(), started.client.flush()]);
    expect(started.node.requests).toHaveLength(1);
    expect(started.node.requests[0]).toMatchObject({
      url: 'http://tidemark/batch/',
      method: 'POST',
      headers: { 'user-agent': 'tidemark-test/1.0.0' },
      body: { api_key: PROJECT_KEY, batch: [{ event: 'a' }], sent_at: '2025-01-01T00:00:00.000Z' },
    });
    await started.client.flush();
    expect(started.node.requests).toHaveLength(1);
  });

  test.each([429, 500, 502, 'fail' as const])(
    'RTY-4 %s is retried automatically, with the same uuids and times',
    async (failure) => {
      const node = fakeNode();
      const answer = failure === 'fail' ? failure : { status: failure, headers: { 'Retry-After': '20' } };
      node.answer('/batch/', answer, {});
      const started = startClient({}, node);
      capture(started, 'a');
      await started.client.flush();
      await node.advance(failure === 'fail' ? 0 : 19_999);
      expect(node.requests).toHaveLength(1);
      await node.advance(10_000);
      const [first, second, ...more] = started.sent();
      expect(second).toEqual(first);
      expect(more).toEqual([]);
    },
  );

  test.each([
    [404, 'No Tidemark at http://tidemark/batch/: check the option host'],
    [401, 'Events were refused (401): check the project key'],
    [503, 'Events wait, since the service answers 503'],
    [413, 'An event is too large for the service, so it was dropped'],
  ])('after a response %d a warning says what is wrong', async (status, warning) => {
    const node = fakeNode();
    node.answer('/batch/', { status });
    const started = startClient({}, node);
    capture(started, 'a');
    await started.client.flush();
    expect(node.logged).toEqual([{ level: 'warn', text: `[tidemark] ${warning}` }]);
  });

  test('a web page with status 200 confirms nothing: a warning names the address, and the events are sent again', async () => {
    const node = fakeNode();
    node.answer('/batch/', { headers: { 'content-type': 'text/html' }, body: '<!doctype html>' }, {});
    const started = startClient({}, node);
    capture(started, 'a');
    await started.client.flush();
    expect(node.logged).toEqual([
      { level: 'warn', text: '[tidemark] No Tidemark at http://tidemark/batch/: check the option host' },
    ]);
    await node.advance(60_000);
    expect(names(started)).toEqual(['a', 'a']);
  });

  test('a request without a response times out', async () => {
    const node = fakeNode();
    node.answer('/batch/', 'hang', {});
    const started = startClient({ requestTimeout: 5_000 }, node);
    capture(started, 'a');
    const flushing = started.client.flush();
    await node.advance(5_000);
    await flushing;
    await started.client.flush();
    expect(names(started)).toEqual(['a', 'a']);
  });
});

describe('a service that is unavailable for long', () => {
  const away = (options: Parameters<typeof startClient>[0] = {}) => {
    const node = fakeNode();
    node.answer('/batch/', 'fail');
    return startClient({ flushAt: 20, maxBatchSize: 500, ...options }, node);
  };

  test('the latest 10,000 events stay in memory, with one warning, and are sent when it is back', async () => {
    const started = away();
    for (let i = 0; i < 25_000; i++) {
      started.client.capture({ distinctId: 'user-123', event: `e${i}` });
      if (i % 1_000 === 0) await started.node.advance(10_000);
    }
    await started.client.flush();
    expect(started.node.warnings().filter((text) => text.includes('Queue full'))).toHaveLength(1);
    const before = started.sent().length;
    started.node.answer('/batch/', {});
    await started.client.shutdown();
    expect(
      started
        .sent()
        .slice(before)
        .map(({ event }) => event),
    ).toEqual(Array.from({ length: 10_000 }, (_, i) => `e${15_000 + i}`));
    expect(started.node.warnings().at(-1)).toContain('15000 events were lost before');
  });

  test('64 MB of large events stay in memory, and are sent in requests of 5 MB', async () => {
    const started = away();
    const text = 'x'.repeat(1 << 20);
    for (let i = 0; i < 100; i++) started.client.capture({ distinctId: 'user-123', event: `e${i}`, properties: { text } });
    await started.node.settle();
    expect(started.node.warnings().filter((line) => line.includes('Queue full'))).toHaveLength(1);
    const before = batches(started).length;
    started.node.answer('/batch/', {});
    await started.client.shutdown();
    const later = batches(started).slice(before);
    // 64 would be the text alone
    expect(later.flat()).toEqual(Array.from({ length: 63 }, (_, i) => `e${37 + i}`));
    expect(later.map((batch) => batch.length)).toEqual([...Array(15).fill(4), 3]);
  });
});

describe('shutdown', () => {
  test('it sends a thousand events that were captured in a loop, once each', async () => {
    const started = startClient({ flushAt: 20 });
    const uuids = Array.from({ length: 1_000 }, (_, i) =>
      started.client.capture({ distinctId: `user-${i % 7}`, event: 'row read' }),
    );
    await started.client.shutdown();
    expect(started.sent().map(({ uuid }) => uuid)).toEqual(uuids);
    expect(started.node.warnings()).toEqual([]);
  });

  test('events captured while it sends are sent too', async () => {
    const node = fakeNode();
    const started = startClient({ maxBatchSize: 1 }, node);
    capture(started, 'a', 'b');
    void started.client.flush();
    capture(started, 'c', 'd');
    await started.client.shutdown();
    expect(names(started)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('if the service returns in time every event is sent', async () => {
    const node = fakeNode();
    node.answer('/batch/', 'fail', { status: 503 }, { status: 503 }, {});
    const started = startClient({}, node);
    capture(started, 'a', 'b');
    const done = started.client.shutdown();
    await node.advance(10_000);
    await done;
    expect(batches(started)).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
    ]);
    expect(node.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test.each([{ status: 503 }, 'hang' as const])(
    'BAT-7 with %j it resolves after its timeout, and logs the number of unsent events',
    async (answer) => {
      const node = fakeNode();
      node.answer('/batch/', answer);
      const started = startClient({}, node);
      capture(started, 'a', 'b');
      let ended = false;
      const done = started.client.shutdown(4_000).then(() => {
        ended = true;
      });
      await node.advance(3_999);
      expect(ended).toBe(false);
      await node.advance(1);
      await done;
      expect(node.logged.at(-1)).toEqual({ level: 'error', text: expect.stringContaining('2 events were not sent') });
      await node.advance(100_000);
      expect(node.pendingTimers()).toBe(0);
    },
  );

  test('a process that exits by itself sends its queue, and does not wait for an unavailable service', async () => {
    const node = fakeNode();
    const idle = new Set<() => void>();
    node.onIdle = (listener) => {
      idle.add(listener);
      return () => void idle.delete(listener);
    };
    const started = startClient({}, node);
    const end = async () => {
      for (const listener of idle) listener();
      await node.settle();
    };
    capture(started, 'a');
    await end();
    expect(names(started)).toEqual(['a']);
    await end();
    expect(node.requests).toHaveLength(1);
    node.answer('/batch/', 'fail');
    capture(started, 'b');
    await end();
    await end();
    expect(node.requests).toHaveLength(2);
    const done = started.client.shutdown(0);
    await node.advance(0);
    await done;
    expect(idle.size).toBe(0);
  });
});

describe('compression', () => {
  test('the Content-Encoding header names it, and the URL does not', async () => {
    const node = fakeNode();
    node.gzip = async (text) => new TextEncoder().encode(`zipped ${text.length}`);
    const started = startClient({ disableCompression: false }, node);
    started.client.capture({ distinctId: 'user-123', event: 'large', properties: { text: 'x'.repeat(2_000) } });
    await started.client.flush();
    expect(node.requests[0]).toMatchObject({
      url: 'http://tidemark/batch/',
      headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' },
    });
  });
});

describe('maxRetries', () => {
  test('events of a request that failed too often are dropped and counted, and the next ones are sent', async () => {
    const node = fakeNode();
    node.answer('/batch/', { status: 503 }, { status: 503 }, { status: 503 }, {});
    const started = startClient({ maxRetries: 2, maxBatchSize: 1 }, node);
    capture(started, 'first', 'second');
    await started.client.flush();
    await node.advance(120_000);
    expect(batches(started)).toEqual([['first'], ['first'], ['first'], ['second']]);
    await started.client.shutdown();
    expect(started.node.warnings().join()).toContain('1 events were lost before');
  });

  test('it is unlimited by default', async () => {
    const node = fakeNode();
    node.answer('/batch/', ...Array.from({ length: 12 }, () => ({ status: 503 })), {});
    const started = startClient({}, node);
    capture(started, 'first');
    await started.client.flush();
    await node.advance(3_600_000);
    expect(batches(started)).toHaveLength(13);
  });
});
