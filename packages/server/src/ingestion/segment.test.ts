import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EventsUnavailable } from '../ports/events.js';
import { KEY, NOW, type RecordingCapture, startRecordingCapture } from '../testing/recording-capture.js';

const UUID = '0190a0b0-0000-7000-8000-00000000000a';
const BASIC = `Basic ${Buffer.from(`${KEY}:`).toString('base64')}`;

let service: RecordingCapture;
beforeAll(async () => {
  service = await startRecordingCapture();
});
afterAll(() => service.close());
beforeEach(() => {
  service.captures.length = 0;
  service.intake.answer = ({ events }) => events.map(({ uuid }) => ({ uuid, result: 'ok' }));
});

const stored = () => service.captures.flatMap((capture) => capture.events);

const post = (path: string, body: unknown, headers: Record<string, string> = { authorization: BASIC }) =>
  service.app.inject({
    method: 'POST',
    url: `/v1/${path}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  });

/** The event that a call becomes. */
async function eventOf(path: string, body: unknown) {
  service.captures.length = 0;
  const answer = await post(path, body);
  expect([answer.statusCode, answer.json()]).toEqual([200, { success: true }]);
  const [event, ...more] = stored();
  expect(more).toEqual([]);
  return event;
}

describe('the calls of the tracking API', () => {
  test.each([
    [
      'track',
      { userId: 'ann', event: 'Item Bought', properties: { price: 5 } },
      { event: 'Item Bought', distinctId: 'ann', properties: { price: 5 } },
    ],
    ['t', { anonymousId: 'anon', event: 'Seen' }, { event: 'Seen', distinctId: 'anon', properties: {} }],
    ['track', { userId: 7, anonymousId: 'anon', event: 'Seen' }, { event: 'Seen', distinctId: '7', properties: {} }],
    [
      'identify',
      { userId: 'ann', anonymousId: 'anon', traits: { email: 'ann@example.com' }, context: { traits: { plan: 'pro' } } },
      {
        event: '$identify',
        distinctId: 'ann',
        properties: { $anon_distinct_id: 'anon', $set: { plan: 'pro', email: 'ann@example.com' } },
      },
    ],
    ['i', { userId: 'ann', traits: { age: 5 } }, { event: '$identify', distinctId: 'ann', properties: { $set: { age: 5 } } }],
    ['i', { anonymousId: 'anon', traits: { age: 5 } }, { event: '$set', distinctId: 'anon', properties: { $set: { age: 5 } } }],
    [
      'page',
      { userId: 'ann', name: 'Prices', category: 'Shop', properties: { url: 'https://shop.example/p?a=1', path: '/p', x: 1 } },
      {
        event: '$pageview',
        distinctId: 'ann',
        properties: {
          name: 'Prices',
          category: 'Shop',
          url: 'https://shop.example/p?a=1',
          path: '/p',
          $current_url: 'https://shop.example/p?a=1',
          $pathname: '/p',
          x: 1,
        },
      },
    ],
    ['screen', { userId: 'ann', name: 'Home' }, { event: '$screen', distinctId: 'ann', properties: { $screen_name: 'Home' } }],
    [
      'group',
      { userId: 'ann', groupId: 'acme', traits: { plan: 'team' } },
      {
        event: '$groupidentify',
        distinctId: 'ann',
        properties: { $groups: { company: 'acme' }, $group_type: 'company', $group_key: 'acme', $group_set: { plan: 'team' } },
      },
    ],
    [
      'g',
      { userId: 'ann', groupId: 5, traits: { groupType: 'team', size: 3 } },
      {
        event: '$groupidentify',
        distinctId: 'ann',
        properties: { $groups: { team: '5' }, $group_type: 'team', $group_key: '5', $group_set: { size: 3 } },
      },
    ],
    [
      'alias',
      { userId: 'ann', previousId: 'anon' },
      { event: '$create_alias', distinctId: 'ann', properties: { alias: 'anon' } },
    ],
    ['a', { userId: 'ann', anonymousId: 'anon' }, { event: '$create_alias', distinctId: 'ann', properties: { alias: 'anon' } }],
  ] as const)('%s %j', async (path, body, expected) => {
    expect(await eventOf(path, { messageId: UUID, ...body })).toEqual({
      uuid: UUID,
      hasClientUuid: true,
      timestamp: NOW,
      ...expected,
    });
  });

  test('visitor data of the context gets the names of other SDKs, and its traits are the person’s', async () => {
    const context = {
      ip: '81.2.69.142',
      userAgent: 'Mozilla/5.0',
      locale: 'de-AT',
      timezone: 'Europe/Vienna',
      page: { url: 'https://shop.example/', path: '/', search: '', referrer: 'https://search.example/', title: 'Shop' },
      campaign: { name: 'spring', source: 'news', medium: 'mail', term: 't', content: 'c' },
      app: { name: 'Shop', version: '1.2', build: '3', namespace: 'com.shop' },
      device: { id: 'd1', manufacturer: 'Apple', model: 'iPhone7,2', name: 'maguro', type: 'ios' },
      os: { name: 'iOS', version: '17.1' },
      screen: { width: 320, height: 568, density: 2 },
      network: { carrier: 'T-Mobile', cellular: true, wifi: false, bluetooth: false },
      library: { name: 'analytics.js', version: '2.11' },
      groupId: 'acme',
      traits: { plan: 'pro' },
      unknown: { x: 1 },
    };
    const event = await eventOf('track', { userId: 'ann', event: 'Seen', context, properties: { $os: 'mine' } });
    expect(event?.properties).toEqual({
      $ip: '81.2.69.142',
      $raw_user_agent: 'Mozilla/5.0',
      $locale: 'de-AT',
      $timezone: 'Europe/Vienna',
      $current_url: 'https://shop.example/',
      $pathname: '/',
      $referrer: 'https://search.example/',
      title: 'Shop',
      utm_campaign: 'spring',
      utm_source: 'news',
      utm_medium: 'mail',
      utm_term: 't',
      utm_content: 'c',
      $app_name: 'Shop',
      $app_version: '1.2',
      $app_build: '3',
      $app_namespace: 'com.shop',
      $device_id: 'd1',
      $device_manufacturer: 'Apple',
      $device_model: 'iPhone7,2',
      $device_name: 'maguro',
      $device_type: 'ios',
      $os: 'mine',
      $os_version: '17.1',
      $screen_width: 320,
      $screen_height: 568,
      $screen_density: 2,
      $network_carrier: 'T-Mobile',
      $network_cellular: true,
      $network_wifi: false,
      $network_bluetooth: false,
      $lib: 'analytics.js',
      $lib_version: '2.11',
      $groups: { company: 'acme' },
      $set: { plan: 'pro' },
    });
  });

  test('the address of a server is not the location of its user', async () => {
    const library = { name: 'analytics-python', version: '2.3' };
    expect((await eventOf('track', { userId: 'a', event: 'b', context: { library } }))?.properties['$geoip_disable']).toBe(true);
    const known = await eventOf('track', { userId: 'a', event: 'b', context: { library, ip: '81.2.69.142' } });
    expect(known?.properties).not.toHaveProperty('$geoip_disable');
  });

  test('a message id is the uuid, or a stable uuid is derived from it', async () => {
    const uuidOf = async (messageId?: string) => (await eventOf('track', { userId: 'a', event: 'b', messageId }))?.uuid;
    expect(await uuidOf(UUID.toUpperCase())).toBe(UUID);
    const named = await uuidOf('node-next-1717-abc');
    expect(named).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await uuidOf('node-next-1717-abc')).toBe(named);
    expect(await uuidOf('node-next-1717-abd')).not.toBe(named);
    expect(await uuidOf()).not.toBe(await uuidOf());
  });

  const at = (ms: number) => new Date(NOW + ms).toISOString();
  test.each([
    ['its own time', { timestamp: at(-60_000) }, -60_000],
    ['the error of the client’s clock', { timestamp: at(3_540_000), sentAt: at(3_600_000) }, -60_000],
    [
      'originalTimestamp before timestamp',
      { originalTimestamp: at(3_540_000), timestamp: at(9), sentAt: at(3_600_000) },
      -60_000,
    ],
    ['what Segment has corrected', { timestamp: at(-86_400_000), sentAt: at(-9e7), receivedAt: at(-8e7) }, -86_400_000],
    ['no time', {}, 0],
  ])('time: %s', async (_name, times, expected) => {
    expect((await eventOf('track', { userId: 'a', event: 'b', ...times }))?.timestamp).toBe(NOW + expected);
  });

  test('a batch has calls of all kinds, one key and one clock', async () => {
    for (const [path, headers, more] of [
      ['batch', { authorization: BASIC }, {}],
      ['b', {}, { writeKey: KEY }],
      ['batch/', { 'content-encoding': 'gzip', authorization: BASIC }, {}],
    ] as const) {
      service.captures.length = 0;
      const body = JSON.stringify({
        batch: [
          { type: 'identify', userId: 'ann', traits: { a: 1 }, timestamp: at(3_600_000) },
          { type: 'track', userId: 'ann', event: 'Seen', timestamp: at(3_600_001) },
          { type: 'alias', userId: 'ann', previousId: 'x', timestamp: at(3_600_001), sentAt: at(3_600_002) },
        ],
        sentAt: at(3_600_000),
        ...more,
      });
      const answer = await post(path, 'content-encoding' in headers ? gzipSync(body) : body, headers);
      expect([answer.statusCode, answer.json()]).toEqual([200, { success: true }]);
      expect(stored().map(({ event, timestamp }) => [event, timestamp - NOW])).toEqual([
        ['$identify', 0],
        ['Seen', 1],
        ['$create_alias', -1],
      ]);
    }
  });
});

test('the context of a batch applies to its messages, whose own context overrides it', async () => {
  const context = { ip: '81.2.69.142', os: { name: 'iOS' } };
  const call = { type: 'track', userId: 'ann', event: 'Seen' };
  await post('batch', { context, batch: [call, { ...call, context: { os: { name: 'Android' } } }] });
  expect(stored().map(({ properties }) => properties)).toEqual([
    { $ip: '81.2.69.142', $os: 'iOS' },
    { $ip: '81.2.69.142', $os: 'Android' },
  ]);
});

describe('the key', () => {
  const call = { userId: 'a', event: 'b' };
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

  test.each([
    ['as user name', call, { authorization: BASIC }],
    ['as user name, with a password', call, basic(`${KEY}:x`)],
    ['as writeKey', { ...call, writeKey: KEY }, {}],
    ['as user name before writeKey', { ...call, writeKey: 'other' }, { authorization: BASIC }],
  ])('%s', async (_name, body, headers) => {
    expect((await post('track', body, headers)).statusCode).toBe(200);
  });

  test.each([
    ['none', call, {}],
    ['unknown', call, basic('tmk_other:')],
    ['empty', call, basic(':')],
    ['a secret key', call, basic('tms_secret:')],
    ['another scheme', { ...call, writeKey: KEY }, { authorization: `Bearer ${KEY}` }],
  ])('%s: refused', async (_name, body, headers) => {
    const answer = await post('track', body, headers);
    expect([answer.statusCode, answer.json()]).toEqual([401, { success: false, message: expect.any(String) }]);
    expect(service.captures).toEqual([]);
  });
});

describe('refusals', () => {
  const track = { type: 'track', userId: 'a', event: 'b' };
  test.each([
    ['track', '{"userId":', 'The payload is not valid JSON.'],
    ['track', [], 'The body must be a JSON object.'],
    ['track', { event: 'b' }, '"userId" or "anonymousId" is missing.'],
    ['track', { userId: 'a' }, '"event" is missing: the name of what was done.'],
    ['group', { userId: 'a' }, '"groupId" is missing.'],
    ['alias', { userId: 'a' }, '"previousId" is missing.'],
    ['batch', { batch: [] }, 'The batch holds no events.'],
    ['batch', { messages: [] }, '"batch" must be a list of messages.'],
    ['batch', { batch: [track, 5] }, 'batch[1]: the message is not an object.'],
    [
      'batch',
      { batch: [track, { ...track, type: 'pixel' }] },
      'batch[1]: "type" must be one of track, identify, page, screen, group, alias.',
    ],
    ['batch', { batch: [track, { ...track, userId: '' }] }, 'batch[1]: "userId" or "anonymousId" is missing.'],
    ['track', { ...track, properties: { text: 'x'.repeat(1_100_000) } }, 'An event is larger than 1 MB.'],
  ])('%s %j', async (path, body, message) => {
    const answer = await post(path, body);
    expect([answer.statusCode, answer.json()]).toEqual([400, { success: false, message }]);
    expect(service.captures).toEqual([]);
  });

  test('a request while the stores are unavailable gets 503 with Retry-After', async () => {
    service.intake.answer = () => {
      throw new EventsUnavailable('gone');
    };
    const answer = await post('track', track);
    expect([answer.statusCode, answer.headers['retry-after'], answer.json().success]).toEqual([503, '5', false]);
  });

  test('unknown paths and methods get 404 and 405, readable by pages of any origin', async () => {
    for (const [method, path, status] of [
      ['POST', '/v1/none', 404],
      ['GET', '/v1/track', 405],
    ] as const) {
      const answer = await service.app.inject({ method, url: path, headers: { origin: 'https://shop.example' } });
      expect([answer.statusCode, answer.json().success]).toEqual([status, false]);
      expect(answer.headers['access-control-allow-origin']).toBe('https://shop.example');
    }
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' };
    expect((await service.app.inject({ method: 'OPTIONS', url: '/v1/t', headers })).statusCode).toBe(204);
  });
});

test('analytics.js gets settings with the host of this service, for a known key', async () => {
  const answer = await service.app.inject({ url: `/v1/projects/${KEY}/settings`, headers: { host: 'a.example:8000' } });
  expect([answer.statusCode, answer.json().integrations]).toEqual([
    200,
    { 'Segment.io': { apiKey: KEY, apiHost: 'a.example:8000/v1', protocol: 'http', unbundledIntegrations: [] } },
  ]);
  expect((await service.app.inject('/v1/projects/other/settings')).statusCode).toBe(401);
});
