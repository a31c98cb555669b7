import { describe, expect, it, vi } from 'vitest';
import type { CapturedEvent } from './event.js';
import { isRecord } from './is-record.js';
import { createFakePlatform, type FakePlatform, type FakeRequest, type Started, startClient } from './testing/index.js';

/** The events of a request. */
const eventsOf = ({ body }: FakeRequest): CapturedEvent[] => {
  if (!isRecord(body) || !Array.isArray(body['batch'])) throw new Error('not a batch');
  return body['batch'];
};
const namesOf = (platform: FakePlatform): string[][] =>
  platform.requestsTo('/batch/').map((request) => eventsOf(request).map(({ event }) => event));
const uuidsOf = (platform: FakePlatform): string[] =>
  platform.requestsTo('/batch/').flatMap((request) => eventsOf(request).map(({ uuid }) => uuid));
const storedText = ({ stored }: FakePlatform): string =>
  [...stored].flatMap(([key, text]) => (key.includes('.queue') ? text : [])).join();
const start: typeof startClient = (options, settings) =>
  startClient({ disable_flags: true, rate_limiting: { events_per_second: 1e6 }, ...options }, settings);

describe('when the page is left', () => {
  it('queued events are sent at once in a request that outlives the page, and stay stored until the response', async () => {
    const { client, platform } = start();
    client.capture('a');
    platform.hide();
    // before anything asynchronous has run: the page may be gone then
    expect(namesOf(platform)).toEqual([['a']]);
    expect(platform.requests[0]).toMatchObject({ keepalive: true, leaving: true });
    expect(storedText(platform)).toContain('"a"');
    await platform.advance(300);
    expect(storedText(platform)).toBe('');
  });

  it('queued events are stored before the page ends, also if the platform throws when sending', async () => {
    const { client, platform, restart } = start();
    platform.fetch = () => {
      throw new TypeError('sendBeacon is blocked');
    };
    client.capture('a');
    platform.hide();
    expect(storedText(platform)).toContain('"a"');
    const next = restart();
    await next.client.flush();
    expect(namesOf(next.platform)).toEqual([['a']]);
  });

  it('nothing is sent twice if the page stays, however often it is hidden', async () => {
    const { client, platform } = start();
    client.capture('a');
    platform.hide();
    platform.hide();
    await client.flush();
    platform.hide();
    await platform.advance(60_000);
    expect(namesOf(platform)).toEqual([['a']]);
  });

  it('the request is filled with the events that fit, even if a larger one comes first', async () => {
    const { client, platform, restart } = start();
    client.capture('huge', { text: 'x'.repeat(30_000), more: 'é'.repeat(20_000) });
    for (let index = 0; index < 40; index++) client.capture('big', { index, text: 'é'.repeat(1000) });
    client.capture('small');
    platform.answer('/batch/', 'hang');
    platform.hide();
    const [request] = platform.requests;
    const names = request ? eventsOf(request).map(({ event }) => event) : [];
    expect(names).not.toContain('huge');
    expect(names.filter((name) => name === 'big').length).toBeGreaterThan(20);
    expect(new TextEncoder().encode(JSON.stringify(request?.body)).length).toBeLessThan(60_000);
    const next = restart();
    await next.client.flush();
    expect(namesOf(next.platform).flat()).toHaveLength(42);
  });

  it('the request uses only the bytes that other requests leave of the limit', () => {
    const { client, platform } = start();
    platform.keepaliveRoom = () => 5_000;
    for (let index = 0; index < 10; index++) client.capture('big', { index, text: 'x'.repeat(1000) });
    platform.hide();
    const bytes = JSON.stringify(platform.requests[0]?.body).length;
    expect([bytes > 3_000, bytes <= 5_000]).toEqual([true, true]);
  });

  it('the last captured event is stored even if no request can be made', async () => {
    const { client, platform, restart } = start();
    platform.fetch = () => {
      throw new Error('no');
    };
    client.capture('$pageleave');
    platform.hide();
    const next = restart();
    await next.client.flush();
    expect(namesOf(next.platform)).toEqual([['$pageleave']]);
  });

  it.each([
    ['it is offline', async ({ platform }: Started) => platform.setOnline(false)],
    ['deliveries fail', async ({ client }: Started) => client.flush().then(() => client.flush())],
    ['the service is busy', async ({ client }: Started) => client.flush(), { status: 503 } as const],
  ])(
    'while %s nothing is sent, and nothing is lost',
    async (_, trouble, answer: Parameters<Started['platform']['answer']>[1] = 'fail') => {
      const started = start();
      const { client, platform, restart } = started;
      platform.answer('/batch/', answer);
      client.capture('one');
      await trouble(started);
      const before = platform.requests.length;
      client.capture('two');
      platform.hide();
      expect(platform.requests).toHaveLength(before);
      const next = restart();
      await next.client.flush();
      expect(namesOf(next.platform)).toEqual([['one', 'two']]);
      await next.platform.advance(300);
      expect(storedText(next.platform)).toBe('');
    },
  );

  it('a page whose request the browser broke off sends its events once more as it is left', async () => {
    const { client, platform } = start();
    platform.answer('/batch/', 'fail', { status: 200 });
    client.capture('one');
    await client.flush();
    client.capture('$pageleave');
    platform.hide();
    await platform.settle();
    expect(namesOf(platform)).toEqual([['one'], ['one', '$pageleave']]);
    expect(new Set(uuidsOf(platform)).size).toBe(2);
    await platform.advance(300);
    expect(storedText(platform)).toBe('');
  });

  it.each(['fail', { status: 503 }, 'hang'] as const)(
    'after the response %j the next page sends the events with the same ids',
    async (answer) => {
      const { client, platform, restart } = start();
      platform.answer('/batch/', answer);
      for (const name of ['a', 'b', 'c']) client.capture(name);
      platform.hide();
      await platform.settle();
      const next = restart();
      next.client.capture('d');
      await next.platform.advance(10_000);
      // one request: the next page's own
      expect(namesOf(next.platform)).toEqual([['a', 'b', 'c', 'd']]);
      expect(uuidsOf(next.platform).slice(0, 3)).toEqual(uuidsOf(platform));
    },
  );

  it('a page that stays retries by itself', async () => {
    const { client, platform } = start();
    platform.answer('/batch/', { status: 503 }, { status: 200 });
    client.capture('a');
    platform.hide();
    await platform.advance(10_000);
    expect(namesOf(platform)).toEqual([['a'], ['a']]);
    expect(storedText(platform)).toBe('');
  });

  it('a request that fails as the page is left does not count for on_blocked', async () => {
    const on_blocked = vi.fn();
    const { client, platform } = start({ on_blocked, disable_flags: false, feature_flag_request_max_retries: 0 });
    await platform.advance(1000);
    platform.answer('/batch/', 'fail');
    platform.answer('/flags/', 'fail');
    client.capture('a');
    platform.hide();
    await platform.settle();
    const counts: number[] = [];
    for (let request = 0; request < 3; request++) {
      client.reloadFeatureFlags();
      await platform.advance(100);
      counts.push(on_blocked.mock.calls.length);
    }
    expect(counts).toEqual([0, 0, 1]);
  });

  it('platforms where a hidden page survives, such as apps, flush', async () => {
    const { client, platform } = start();
    delete platform.keepaliveRoom;
    for (let index = 0; index < 150; index++) client.capture('a');
    platform.hide();
    await platform.settle();
    expect(namesOf(platform).map((names) => names.length)).toEqual([100, 50]);
  });

  it('stored events are unchanged while the person is opted out', async () => {
    const { client, platform, restart } = start();
    platform.setOnline(false);
    client.capture('before');
    client.optOut();
    platform.hide();
    const next = restart();
    await next.client.flush();
    await next.platform.advance(10_000);
    expect(next.platform.requests).toEqual([]);
    next.client.optIn();
    await next.client.flush();
    expect(namesOf(next.platform)).toEqual([['before']]);
  });

  it('a page that has seen stored events leaves them in storage when the person opts out', () => {
    const { client, platform, restart } = start();
    platform.setOnline(false);
    client.capture('before');
    platform.hide();
    const next = restart();
    next.client.optOut();
    expect(storedText(next.platform)).toContain('"before"');
  });

  it('an opt-out with clear removes the events that any page has stored', async () => {
    const { client, platform, restart } = start();
    platform.setOnline(false);
    client.capture('before');
    platform.hide();
    const next = restart();
    next.client.optOut({ clear: true });
    expect(storedText(next.platform)).toBe('');
    next.client.optIn();
    await next.client.flush();
    expect(next.platform.requests).toEqual([]);
  });
});

describe('events stored by other pages', () => {
  /** Two tabs of one browser, both unable to send. */
  const twoTabs = () => {
    const one = start();
    const two = one.restart();
    for (const { platform } of [one, two]) platform.setOnline(false);
    return { one, two };
  };

  it('pages that write at the same time do not overwrite each other’s', async () => {
    const { one, two } = twoTabs();
    for (let index = 0; index < 5; index++) {
      one.client.capture(`one ${index}`);
      two.client.capture(`two ${index}`);
      one.platform.hide();
      two.platform.hide();
    }
    const three = one.restart();
    await three.client.flush();
    expect(namesOf(three.platform).flat()).toHaveLength(10);
  });

  it('an open page sends its own events', async () => {
    const one = start({ flushInterval: 2_000 });
    one.client.capture('one');
    await one.platform.advance(500);
    const two = one.restart({ flushInterval: 3_000 });
    two.client.capture('two');
    await one.platform.advance(5_000);
    await two.platform.advance(10_000);
    expect(namesOf(one.platform)).toEqual([['one']]);
    expect(namesOf(two.platform)).toEqual([['two']]);
  });

  it('a page that stays open sends the events of one that has ended', async () => {
    const { one, two } = twoTabs();
    one.client.capture('one');
    two.client.capture('two');
    one.platform.hide();
    two.platform.hide();
    two.platform.setOnline(true);
    await two.client.flush();
    await two.client.flush();
    expect(namesOf(two.platform).flat().sort()).toEqual(['one', 'two']);
  });

  it('they are queued once, even if two open pages adopt them from each other for hours', async () => {
    const { one, two } = twoTabs();
    const losses: unknown[] = [];
    for (const { client } of [one, two]) client.on('loss', (loss) => losses.push(loss));
    for (let hour = 0; hour < 20; hour++) {
      for (const { client, platform } of [one, two]) {
        for (let index = 0; index < 10; index++) client.capture('a');
        platform.hide();
        await platform.advance(10_000);
      }
    }
    for (const { platform } of [one, two]) platform.setOnline(true);
    await one.client.flush();
    await two.client.flush();
    expect(new Set(uuidsOf(one.platform)).size).toBe(uuidsOf(one.platform).length);
    expect(new Set(uuidsOf(two.platform)).size).toBe(uuidsOf(two.platform).length);
    expect(new Set([...uuidsOf(one.platform), ...uuidsOf(two.platform)]).size).toBe(400);
    expect(losses).toEqual([]);
  });

  it('they are dropped after seven days, and counted', async () => {
    const { client, platform, restart } = start();
    platform.setOnline(false);
    client.capture('old');
    await platform.advance(6 * 86_400_000);
    client.capture('young');
    platform.hide();
    await platform.advance(2 * 86_400_000);
    const next = restart();
    const losses: unknown[] = [];
    next.client.on('loss', (loss) => losses.push(loss));
    await next.client.flush();
    expect(namesOf(next.platform)).toEqual([['young']]);
    expect(losses).toEqual([{ reason: 'expired', count: 1 }]);
  });

  it('their number is limited, the newest remain, and the next page counts the others', async () => {
    const { client, platform, restart } = start({ maxQueueSize: 10_000 });
    platform.setOnline(false);
    for (let index = 0; index < 3_000; index++) client.capture('a', { index, text: 'x'.repeat(800) });
    platform.hide();
    expect(storedText(platform).length).toBeLessThan(1_000_100);
    expect(storedText(platform).length).toBeGreaterThan(900_000);
    const next = restart();
    const losses: { reason: string; count: number }[] = [];
    next.client.on('loss', (loss) => losses.push(loss));
    await next.client.flush();
    const arrived = next.platform.requestsTo('/batch/').flatMap(eventsOf);
    expect(losses).toEqual([{ reason: 'storage_overflow', count: 3_000 - arrived.length }]);
    expect(arrived.at(-1)?.properties['index']).toBe(2_999);
    expect(arrived.length).toBeGreaterThan(500);
  });

  it.each([
    ['queue', '{"x":[[1],[2,{"event":"e"}],"y"],"z":5}'],
    ['queue.00000000-0000-7000-8000-000000000001', '[{'],
    ['queue.00000000-0000-7000-8000-000000000001', 'null'],
  ])('broken ones are skipped: %s %s', async (name, text) => {
    const stored = new Map([[`tm.tmk_test.default.${name}`, text]]);
    const { client, platform } = start({}, { platform: createFakePlatform({ stored }) });
    client.capture('a');
    await client.flush();
    expect(namesOf(platform)).toEqual([['a']]);
    await platform.advance(300);
    expect(storedText(platform)).toBe('');
  });

  it('events of an earlier version of the library are sent', async () => {
    const event = { event: 'old', distinct_id: 'd', properties: {}, uuid: '00000000-0000-7000-8000-000000000009' };
    const text = JSON.stringify({ 'some-page': [[Date.UTC(2025, 0, 1), event]] });
    const platform = createFakePlatform({ stored: new Map([['tm.tmk_test.default.queue', text]]) });
    start({}, { platform });
    await platform.advance(10_000);
    expect(namesOf(platform)).toEqual([['old']]);
  });

  it('a client does not send events of a client whose name begins with its own', async () => {
    const stored = new Map([['tm.tmk_test.default.queue.shop.identity', '{"a":"b"}']]);
    const { client } = start({}, { platform: createFakePlatform({ stored }) });
    await client.flush();
    await client.flush();
    client.optOut({ clear: true });
    expect(stored.has('tm.tmk_test.default.queue.shop.identity')).toBe(true);
  });
});
