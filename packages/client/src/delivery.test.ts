import { describe, expect, it } from 'vitest';
import { isRecord } from './is-record.js';
import { createFakePlatform, type FakePlatform, startClient } from './testing/index.js';

const batches = (platform: FakePlatform): string[][] =>
  platform.requestsTo('/batch/').map(({ body }) => {
    if (typeof body !== 'object' || body === null || !('batch' in body) || !Array.isArray(body.batch))
      throw new Error('not a batch');
    return body.batch.map((event: { event: string }) => event.event);
  });
const start: typeof startClient = (options, settings) => startClient({ disable_flags: true, ...options }, settings);

describe('batches', () => {
  it('a full batch is sent at once, in order, with the project key (BAT-1, HTP-1)', async () => {
    const { client, platform } = start({ flushAt: 2, api_host: 'https://t.example.com/' });
    client.capture('a');
    await platform.settle();
    expect(platform.requests).toEqual([]);
    client.capture('b');
    await platform.settle();
    expect(batches(platform)).toEqual([['a', 'b']]);
    expect(platform.requests[0]).toMatchObject({
      url: 'https://t.example.com/batch/',
      method: 'POST',
      body: { api_key: 'tmk_test', sent_at: '2025-01-01T00:00:00.000Z' },
      headers: { 'content-type': 'text/plain' },
      keepalive: true,
    });
    await platform.advance(60_000);
    expect(platform.requests).toHaveLength(1);
  });

  it('fifty events are sent without waiting for the interval', async () => {
    const { client, platform } = start();
    for (let i = 0; i < 49; i++) client.capture('a');
    await platform.settle();
    expect(platform.requests).toEqual([]);
    client.capture('b');
    await platform.settle();
    expect(batches(platform)).toEqual([[...Array.from({ length: 49 }, () => 'a'), 'b']]);
  });

  it('a batch that is too large is halved, down to the event that is too large (BAT-3)', async () => {
    const { client, platform } = start();
    platform.answer('/batch/', ({ body }) => ({ status: JSON.stringify(body).includes('"big"') ? 413 : 200 }));
    const losses: unknown[] = [];
    client.on('loss', (loss) => losses.push(loss));
    for (const name of ['a', 'b', 'big', 'c']) client.capture(name);
    await client.flush();
    expect(batches(platform)).toEqual([['a', 'b', 'big', 'c'], ['a', 'b'], ['big', 'c'], ['big'], ['c']]);
    expect(losses).toEqual([{ reason: 'too_large', count: 1 }]);
  });

  it('batches are compressed if the platform can compress', async () => {
    const platform = createFakePlatform();
    platform.gzip = async (text) => new Uint8Array([31, 139, text.length % 256]);
    const { client } = start({}, { platform });
    client.capture('a', { long: 'x'.repeat(2000) });
    await client.flush();
    expect(platform.requests[0]?.url).toBe('/batch/?compression=gzip-js');
    expect(platform.requests[0]?.headers['content-type']).toBe('text/plain');
  });
});

describe('invalid limits', () => {
  it.each([0, -1, Number.NaN])('a batch size of %s means one event in a batch', async (maxBatchSize) => {
    const { client, platform } = start({ maxBatchSize });
    client.capture('a');
    client.capture('b');
    await client.flush();
    expect(batches(platform)).toEqual([['a'], ['b']]);
  });
});

describe('while the server is unavailable', () => {
  it('retries become rarer, and none comes before Retry-After', async () => {
    const { client, platform } = start();
    platform.answer('/batch/', { status: 503, headers: { 'Retry-After': '120' } }, 'fail');
    client.capture('a');
    await client.flush();
    await platform.advance(119_000);
    expect(platform.requests).toHaveLength(1);
    await platform.advance(24 * 3_600_000);
    const times = platform.requests.map(({ at }) => at);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(120_000);
    const gaps = times.slice(2).map((at, index) => at - (times[index + 1] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1.5 * 1_800_000);
    expect(gaps.at(-1)).toBeGreaterThan(600_000);
    expect(times.length).toBeLessThan(120);
  });

  it.each([400, 401])('events that the server refuses for good are dropped and logged (RTY-4, %i)', async (status) => {
    const { client, platform } = start();
    platform.answer('/batch/', { status });
    const losses: unknown[] = [];
    client.on('loss', (loss) => losses.push(loss));
    client.capture('a');
    await client.flush();
    await platform.advance(3_600_000);
    expect(platform.requests).toHaveLength(1);
    expect(losses).toEqual([{ reason: 'refused', count: 1 }]);
    expect(platform.warnings()).toHaveLength(1);
  });

  it('a 404 logs the address and the option that sets it', async () => {
    const { client, platform } = start({ api_host: 'https://wrong.example.com/' });
    platform.answer('/batch/', { status: 404 });
    client.capture('a');
    await client.flush();
    expect(platform.warnings()).toEqual([
      expect.stringMatching(/No Tidemark at https:\/\/wrong\.example\.com\/batch\/.*api_host/),
    ]);
  });

  it('a web page with status 200 confirms nothing: a warning names the address, and the events wait', async () => {
    const { client, platform } = start({ api_host: 'https://wrong.example.com/' });
    const page = { headers: { 'Content-Type': 'text/html; charset=utf-8' }, body: '<!doctype html>' };
    platform.answer('/batch/', page, { status: 200 });
    const losses: unknown[] = [];
    client.on('loss', (loss) => losses.push(loss));
    const event = client.capture('a');
    await client.flush();
    expect(platform.warnings()).toEqual([
      expect.stringMatching(/No Tidemark at https:\/\/wrong\.example\.com\/batch\/.*api_host/),
    ]);
    await platform.advance(60_000);
    const uuids = platform.requests.map(({ body }) => isRecord(body) && Array.isArray(body['batch']) && body['batch'][0].uuid);
    expect(uuids).toEqual([event?.uuid, event?.uuid]);
    expect(losses).toEqual([]);
  });

  it('a hanging request is aborted after a minute and repeated with the same events', async () => {
    const { client, platform } = start();
    platform.answer('/batch/', 'hang', { status: 200 });
    const event = client.capture('a');
    void client.flush();
    await platform.advance(59_000);
    expect(platform.requests).toHaveLength(1);
    await platform.advance(10_000);
    const uuids = platform.requests.map(({ body }) => isRecord(body) && Array.isArray(body['batch']) && body['batch'][0].uuid);
    expect(uuids).toEqual([event?.uuid, event?.uuid]);
  });

  it('the retries of many clients spread over a span as long as the wait', async () => {
    const waits = new Set<number>();
    for (let seed = 0; seed < 20; seed++) {
      const { client, platform } = start({}, { platform: createFakePlatform({ seed }) });
      const uuid7 = platform.ids.uuid7;
      platform.ids.uuid7 = (at) => uuid7(at).slice(0, -4) + (seed * 3276).toString(16).padStart(4, '0');
      platform.answer('/batch/', 'fail');
      client.capture('a');
      await client.flush();
      await platform.advance(60_000);
      waits.add((platform.requests[1]?.at ?? 0) - (platform.requests[0]?.at ?? 0));
    }
    expect(waits.size).toBe(20);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1500);
    expect(Math.max(...waits)).toBeLessThanOrEqual(4500);
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(2500);
  });

  it('a full queue drops its oldest events and counts them (RTY-2)', async () => {
    const { client, platform } = start({ maxQueueSize: 2 });
    platform.answer('/batch/', { status: 503 }, { status: 200 });
    const losses: unknown[] = [];
    client.on('loss', (loss) => losses.push(loss));
    for (const name of ['a', 'b', 'c']) client.capture(name);
    expect(losses).toEqual([{ reason: 'queue_overflow', count: 1 }]);
    expect(platform.warnings()).toHaveLength(1);
    await client.flush();
    await client.flush();
    expect(batches(platform).at(-1)).toEqual(['b', 'c']);
  });

  it('an offline client sends when the network is back', async () => {
    const { client, platform } = start();
    platform.setOnline(false);
    client.capture('a');
    await platform.advance(600_000);
    expect(platform.requests).toEqual([]);
    platform.setOnline(true);
    await platform.advance(10);
    expect(batches(platform)).toEqual([['a']]);
  });

  it('blocked requests are logged once', async () => {
    let blocked = 0;
    const { client, platform } = start({ on_blocked: () => blocked++ });
    platform.answer('/batch/', 'fail');
    client.capture('a');
    await platform.advance(3_600_000);
    expect(blocked).toBe(1);
    expect(platform.logged.filter(({ level }) => level !== 'debug')).toEqual([]);
  });

  it('after a quota error the client sends nothing for a minute', async () => {
    const { client, platform } = start();
    platform.answer('/batch/', { body: { status: 'Ok', quota_limited: ['events'] } }, { status: 200 });
    client.capture('a');
    await client.flush();
    client.capture('b');
    await platform.advance(59_000);
    expect(batches(platform)).toEqual([['a']]);
    await platform.advance(5_000);
    expect(batches(platform)).toEqual([['a'], ['b']]);
  });
});

describe('shutdown', () => {
  it('it logs the number of unsent events, and stores them for the next start (BAT-7)', async () => {
    const { client, platform, restart } = start();
    platform.answer('/batch/', { status: 503 });
    client.capture('a');
    await client.shutdown();
    expect(platform.warnings()).toHaveLength(1);
    const next = restart();
    await next.client.flush();
    expect(batches(next.platform)).toEqual([['a']]);
  });

  it('it resolves after its timeout (BAT-7)', async () => {
    const { client, platform } = start();
    platform.answer('/batch/', 'hang');
    client.capture('a');
    const done = client.shutdown(2000);
    await platform.advance(2000);
    await done;
    expect(platform.warnings()).toHaveLength(1);
  });
});

describe('storage', () => {
  it('many events are stored in a few writes', async () => {
    const { client, platform } = start({ rate_limiting: { events_per_second: 1e6 } });
    await platform.advance(1000);
    platform.writes.length = 0;
    for (let count = 0; count < 200; count++) client.capture('a');
    await platform.advance(1000);
    expect(platform.writes.length).toBeLessThanOrEqual(4);
  });

  it('a failing storage is only logged (STO-2)', async () => {
    const platform = createFakePlatform();
    platform.storeFails = true;
    const { client, queued } = start({}, { platform });
    client.register({ plan: 'pro' });
    client.identify('u');
    client.capture('a');
    await platform.advance(10_000);
    expect(queued.at(-1)?.properties.plan).toBe('pro');
    expect(batches(platform)).toEqual([['$identify', 'a']]);
    expect(platform.warnings()).toHaveLength(1);
  });
});
