import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { QueueFull } from '../../http/sdk/index.js';
import { EventsFull, EventsUnavailable } from '../../ports/events.js';
import { KEY, NOW, type RecordingCapture, startRecordingCapture } from '../../testing/recording-capture.js';

const UUID = '0190a0b0-0000-7000-8000-00000000000a';
const event = (more: object = {}) => ({ event: 'signed up', distinct_id: 'ann', ...more });

let service: RecordingCapture;
beforeAll(async () => {
  service = await startRecordingCapture();
});
afterAll(() => service.close());
beforeEach(() => {
  service.captures.length = 0;
  service.intake.answer = ({ events }) => events.map(({ uuid }) => ({ uuid, result: 'ok' }));
});

const post = (body: unknown, { url = '/e/', headers = {} }: { url?: string; headers?: Record<string, string> } = {}) =>
  service.app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  });
const stored = () => service.captures.flatMap((capture) => capture.events);

describe('every path accepts every body shape', () => {
  const paths = ['/e', '/e/', '/i/v0/e/', '/capture/', '/track', '/engage/', '/batch', '/batch/'];
  const shapes = {
    single: event({ token: KEY }),
    'single with api_key': event({ api_key: KEY }),
    'single with $token': event({ $token: KEY }),
    'single with token in properties': event({ properties: { token: KEY } }),
    list: [event({ token: KEY }), event()],
    batch: { api_key: KEY, batch: [event(), event({ token: 'ignored' })] },
    'batch with token': { token: KEY, batch: [event()], historical_migration: true },
  };
  test.each(paths.flatMap((url) => Object.entries(shapes).map(([name, body]) => [url, name, body] as const)))(
    '%s %s',
    async (url, _name, body) => {
      const response = await post(body, { url });
      expect([response.statusCode, response.json()]).toEqual([200, { status: 'Ok' }]);
      expect(service.captures).toHaveLength(1);
      // history comes from another address than its people
      const ip = 'historical_migration' in body ? '' : '127.0.0.1';
      expect(service.captures[0]).toMatchObject({ project: { apiToken: KEY }, ip, receivedAt: NOW });
      expect(stored().every((one) => one.event === 'signed up' && one.distinctId === 'ann')).toBe(true);
    },
  );

  test('GET with the payload in the query', async () => {
    const data = encodeURIComponent(Buffer.from(JSON.stringify(event({ token: KEY }))).toString('base64'));
    const response = await service.app.inject({ method: 'GET', url: `/e/?data=${data}&compression=base64&ip=1&ver=1.0` });
    expect(response.statusCode).toBe(200);
    expect(stored()).toHaveLength(1);
  });

  test('gzip without a header, and with one', async () => {
    const body = gzipSync(JSON.stringify([event({ token: KEY })]));
    expect((await post(body, { headers: { 'content-type': 'text/plain' } })).statusCode).toBe(200);
    expect((await post(body, { url: '/batch/', headers: { 'content-encoding': 'gzip' } })).statusCode).toBe(200);
    expect((await post(body, { headers: { 'content-type': 'nonsense' } })).statusCode).toBe(200);
    expect(stored()).toHaveLength(3);
  });

  test('a server that listens at an IPv6 address records IPv4 clients by their IPv4 address', async () => {
    for (const [remoteAddress, ip] of [
      ['::ffff:81.2.69.142', '81.2.69.142'],
      ['2001:db8::1', '2001:db8::1'],
    ] as const) {
      await service.app.inject({ method: 'POST', url: '/e/', remoteAddress, payload: event({ token: KEY }) });
      expect(service.captures.at(-1)?.ip).toBe(ip);
    }
  });

  test('beacons get an empty 204', async () => {
    const response = await post(event({ token: KEY }), { url: '/e/?beacon=1' });
    expect([response.statusCode, response.body]).toEqual([204, '']);
  });

  test('AI events have their own path', async () => {
    expect(
      (await post({ api_key: KEY, batch: [event({ event: '$ai_generation' })] }, { url: '/i/v0/ai/batch/' })).statusCode,
    ).toBe(200);
    expect((await post({ api_key: KEY, batch: [event()] }, { url: '/i/v0/ai/batch/' })).statusCode).toBe(400);
    expect((await post('', { url: '/i/v0/ai' })).statusCode).toBe(404);
  });
});

describe('a stored event', () => {
  const storedOf = async (more: object, url?: string) => {
    const response = await post(event({ token: KEY, ...more }), url ? { url } : {});
    expect(response.body).toBe('{"status":"Ok"}');
    return stored()[0];
  };

  test('it has all its fields', async () => {
    const one = await storedOf({
      uuid: UUID.toUpperCase(),
      timestamp: '2026-03-01T11:00:00Z',
      properties: { $set: { a: 1, b: 1 }, token: KEY, distinct_id: 'no', plan: 'pro' },
      $set: { b: 2 },
      $set_once: { c: 3 },
      type: 'capture',
    });
    expect(one).toEqual({
      uuid: UUID,
      hasClientUuid: true,
      event: 'signed up',
      distinctId: 'ann',
      timestamp: NOW - 3_600_000,
      clientTime: NOW - 3_600_000,
      properties: { $set: { a: 1, b: 2 }, $set_once: { c: 3 }, plan: 'pro' },
    });
  });

  test.each([
    ['number', { distinct_id: 23 }, '23'],
    ['fraction', { distinct_id: 23.4 }, '23.4'],
    ['list', { distinct_id: ['a', 'b'] }, '["a","b"]'],
    ['object', { distinct_id: { a: 1 } }, '{"a":1}'],
    ['false', { distinct_id: false }, 'false'],
    ['other name', { distinct_id: undefined, $distinct_id: 'x' }, 'x'],
    ['in properties', { distinct_id: null, properties: { distinct_id: 'x' } }, 'x'],
    ['NUL', { distinct_id: 'a\0b' }, 'a\ufffdb'],
    ['lone surrogate', { distinct_id: 'a\ud83d' }, 'a\ufffd'],
    ['200 characters of two bytes', { distinct_id: 'ü'.repeat(200) }, 'ü'.repeat(200)],
    ['too long', { distinct_id: 'ü'.repeat(300) }, 'ü'.repeat(200)],
    ['too long, outside the basic plane', { distinct_id: '😀'.repeat(300) }, '😀'.repeat(200)],
    ['illegal ones are ordinary here', { distinct_id: 'null' }, 'null'],
  ])('distinct id: %s', async (_name, more, expected) => {
    expect((await storedOf(more))?.distinctId).toBe(expected);
  });

  test('numeric ids keep all digits', async () => {
    await post(`{"token":"${KEY}","event":"e","distinct_id":12345678901234567890}`);
    expect(stored()[0]?.distinctId).toBe('12345678901234567890');
  });

  test('uuid: empty counts as absent, and one without dashes is accepted', async () => {
    expect(await storedOf({ uuid: '' })).toMatchObject({ hasClientUuid: false, uuid: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    service.captures.length = 0;
    expect(await storedOf({ uuid: UUID.replaceAll('-', '') })).toMatchObject({ hasClientUuid: true, uuid: UUID });
  });

  test('without a name /engage means $identify', async () => {
    expect((await storedOf({ event: undefined }, '/engage/'))?.event).toBe('$identify');
  });

  test('the clock of the client is corrected by the envelope, the query or the event', async () => {
    const hourAhead = { timestamp: new Date(NOW + 3_590_000).toISOString() };
    const sent_at = new Date(NOW + 3_600_000).toISOString();
    await post({
      api_key: KEY,
      batch: [event(hourAhead), event({ ...hourAhead, properties: { $ignore_sent_at: true } })],
      sent_at,
    });
    await post([event({ token: KEY, ...hourAhead })], { url: `/e/?_=${NOW + 3_600_000}` });
    await post([event({ token: KEY, ...hourAhead, sent_at })]);
    expect(stored().map((one) => one.timestamp - NOW)).toEqual([-10_000, 3_590_000, -10_000, -10_000]);
  });

  test('offset instead of a time', async () => {
    const one = await storedOf({ offset: 1500 });
    expect(one?.timestamp).toBe(NOW - 1500);
    expect(one).not.toHaveProperty('clientTime');
  });

  test('an invalid time becomes now, with a warning', async () => {
    expect((await storedOf({ timestamp: 'yesterday' }))?.timestamp).toBe(NOW);
    expect(service.captures[0]?.warnings).toMatchObject([
      { projectId: service.project.id, type: 'ignored_invalid_timestamp', details: { value: 'yesterday' } },
    ]);
  });
});

describe('refused as a whole, with one sentence', () => {
  const good = event({ token: KEY });
  test.each<[string, unknown, number]>([
    ['nothing', '', 400],
    ['no JSON', '{"event":', 400],
    ['a bare word', 'true', 400],
    ['a number', '12345678', 400],
    ['bad gzip', Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]), 400],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 400],
    ['empty list', [], 400],
    ['empty batch', { api_key: KEY, batch: [] }, 400],
    ['no object in a list', [good, 1], 400],
    ['no name', { ...good, event: undefined }, 400],
    ['empty name', { ...good, event: '' }, 400],
    ['name that is no text', { ...good, event: 1 }, 400],
    ['no distinct id', { ...good, distinct_id: null }, 400],
    ['empty distinct id', { ...good, distinct_id: '' }, 400],
    ['bad uuid', { ...good, uuid: 'x' }, 400],
    ['properties that are a list', { ...good, properties: [] }, 400],
    ['one bad event of two', [good, { ...good, event: '' }], 400],
    ['nested too deeply', `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`, 400],
    ['no token', event(), 401],
    ['empty token', event({ token: '' }), 401],
    ['a batch whose events alone have tokens', { batch: [good] }, 401],
    ['two tokens', [good, event({ token: 'other' })], 401],
    ['unknown token', event({ token: 'tmk_unknown' }), 401],
    ['long token', event({ token: 'x'.repeat(65) }), 401],
    ['token that is not ASCII', event({ token: 'tmk_ü' }), 401],
    ['token with NUL', event({ token: 'tmk_\0' }), 401],
    ['too large an event', event({ token: KEY, properties: { filler: 'x'.repeat(1_100_000) } }), 413],
  ])('%s', async (_name, body, status) => {
    const response = await post(body);
    expect(response.statusCode).toBe(status);
    expect(response.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(response.body).toMatch(/^[A-Z].*\.$/);
    expect(service.captures).toEqual([]);
  });

  test.each(['tms_secret', 'phx_secret'])('the secret key %s: the error names the right key', async (token) => {
    const response = await post(event({ token }));
    expect(response.statusCode).toBe(401);
    expect(response.body).toMatch(/personal_api_key.*tmk_/);
    expect(response.body).not.toContain('secret"');
  });

  test('bodies over the limits are refused', async () => {
    const bomb = await post(gzipSync(Buffer.alloc(120_000_000, ' ')));
    expect([bomb.statusCode, bomb.body]).toEqual([413, 'The payload is too large.']);
    const large = await post(Buffer.alloc(21 * 1024 * 1024, ' '));
    expect([large.statusCode, large.headers.connection]).toEqual([413, 'close']);
  });

  test('a text of 1 MB and an object of 40,000 keys are accepted', async () => {
    const keys = Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [i.toString(36), 1]));
    expect((await post(event({ token: KEY, properties: { filler: 'x'.repeat(1_000_000) } }))).statusCode).toBe(200);
    expect((await post(event({ token: KEY, properties: keys }))).statusCode).toBe(200);
  });

  test.each([
    new QueueFull('full'),
    new EventsUnavailable('away'),
    new EventsFull('full'),
    Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
  ])('temporarily unavailable: %s', async (error) => {
    service.intake.answer = () => {
      throw error;
    };
    const response = await post(event({ token: KEY }));
    expect(response.statusCode).toBe(503);
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('an internal error has an id and no details', async () => {
    service.intake.answer = () => {
      throw new TypeError('secret detail');
    };
    const response = await post(event({ token: KEY }));
    expect(response.statusCode).toBe(500);
    expect(response.body).toMatch(/[0-9a-f-]{36}/);
    expect(response.body).not.toContain('secret');
  });

  test('refusals are counted by reason', async () => {
    await post('{');
    expect(await service.deps.metrics.metrics()).toMatch(/tidemark_capture_refused_total\{reason="bad_json"\} [1-9]/);
  });
});

describe('browsers', () => {
  const origin = 'https://shop.example';
  test('responses allow their origin, also refusals', async () => {
    for (const body of [event({ token: KEY }), '{']) {
      const { headers } = await post(body, { headers: { origin } });
      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        vary: 'Origin',
      });
    }
  });

  test.each(['/e/', '/batch', '/s/', '/flags/', '/array/x/config', '/i/v1/analytics/events', '/api/surveys/'])(
    'preflight of %s',
    async (url) => {
      const { statusCode, headers } = await service.app.inject({
        method: 'OPTIONS',
        url,
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type, x-odd' },
      });
      expect(statusCode).toBe(204);
      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET, POST, OPTIONS',
        'access-control-allow-headers': 'content-type, x-odd',
      });
    },
  );

  test('an OPTIONS that is not a preflight', async () => {
    const response = await service.app.inject({ method: 'OPTIONS', url: '/e/' });
    expect([response.statusCode, response.json()]).toEqual([200, { status: 'Ok' }]);
    expect((await service.app.inject({ method: 'OPTIONS', url: '/flags' })).statusCode).toBe(204);
  });

  test.each(['PUT', 'DELETE', 'PATCH', 'HEAD'] as const)('%s is not allowed', async (method) => {
    for (const url of ['/e', '/batch/', '/s', '/i/v1/analytics/events']) {
      const response = await service.app.inject({ method, url });
      expect([url, response.statusCode]).toEqual([url, 405]);
      expect(response.headers.allow).toContain('POST');
    }
  });
});
