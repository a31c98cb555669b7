import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEY, NOW, type RecordingCapture, startRecordingCapture } from '../../testing/recording-capture.js';

let service: RecordingCapture;
beforeAll(async () => {
  service = await startRecordingCapture();
});
afterAll(() => service.close());

const get = (url: string) => service.app.inject({ method: 'GET', url });
const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  service.app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'text/plain', ...headers },
    payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  });

describe('replay', () => {
  const snapshot = (more: object = {}, properties: object = {}) => ({
    event: '$snapshot',
    properties: {
      $snapshot_data: [{ type: 4 }],
      $session_id: 'abc-1',
      $window_id: 'w',
      token: KEY,
      distinct_id: 'ann',
      ...properties,
    },
    ...more,
  });

  test.each([
    ['a list', [snapshot(), snapshot()]],
    ['one event', snapshot()],
    ['one item', snapshot({}, { $snapshot_data: { type: 4 } })],
    ['no items', snapshot({}, { $snapshot_data: [] })],
    ['a mobile batch', { api_key: KEY, batch: [snapshot()] }],
  ])('takes %s and asks to stop', async (_name, body) => {
    const response = await post('/s/', gzipSync(JSON.stringify(body)));
    expect([response.statusCode, response.json()]).toEqual([200, { status: 'Ok', quota_limited: ['recordings'] }]);
    expect(service.captures).toEqual([]);
  });

  test('takes a first snapshot of several megabytes', async () => {
    const body = [snapshot({}, { $snapshot_data: [{ type: 2, data: 'x'.repeat(5_000_000) }] })];
    expect((await post('/s/', body)).statusCode).toBe(200);
  });

  test.each([
    ['no session', snapshot({}, { $session_id: undefined }), 400],
    ['session that is no text', snapshot({}, { $session_id: 5 }), 400],
    ['long session', snapshot({}, { $session_id: 'a'.repeat(71) }), 400],
    ['odd session', snapshot({}, { $session_id: 'a b' }), 400],
    ['no data', snapshot({}, { $snapshot_data: undefined }), 400],
    ['data that is text', snapshot({}, { $snapshot_data: 'x' }), 400],
    ['no distinct id', snapshot({}, { distinct_id: undefined }), 400],
    ['no properties', { event: '$snapshot', token: KEY }, 400],
    ['empty', [], 400],
    ['no token', snapshot({}, { token: undefined }), 401],
    ['unknown token', snapshot({}, { token: 'tmk_x' }), 401],
  ])('refuses %s', async (_name, body, status) => {
    const response = await post('/s/', body);
    expect([response.statusCode, response.headers['content-type']]).toEqual([status, 'text/plain; charset=utf-8']);
  });
});

describe('flags', () => {
  const question = { token: KEY, distinct_id: 'ann', groups: {}, person_properties: { $lib: 'web' } };
  const v2 = {
    flags: {},
    errorsWhileComputingFlags: false,
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    evaluatedAt: NOW,
  };
  const v1 = { featureFlags: {}, featureFlagPayloads: {}, errorsWhileComputingFlags: false, requestId: expect.any(String) };
  const config = { supportedCompression: ['gzip', 'gzip-js'], sessionRecording: false, siteApps: [] };

  test.each([
    ['/flags/?v=2', v2],
    ['/flags?v=3', v2],
    ['/flags/?v=1', v1],
    ['/flags/?v=x', v1],
  ])('%s', async (url, expected) => {
    const response = await post(url, question);
    expect([response.statusCode, response.json()]).toEqual([200, expected]);
  });

  test.each([
    ['/flags', v2],
    ['/flags/?v=2&config=true', v2],
    ['/decide/?v=4', v2],
    ['/decide/?v=3&ip=1', v1],
    ['/decide?v=2', { featureFlags: {} }],
    ['/decide?v=1', { featureFlags: [] }],
    ['/decide/', { featureFlags: [] }],
  ])('%s with the configuration', async (url, expected) => {
    const response = await post(url, question);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ ...expected, ...config });
  });

  test.each([
    ['gzip', gzipSync(JSON.stringify(question)), {}],
    ['JSON', question, { 'content-type': 'application/json; charset=utf-8' }],
    [
      'base64 in a form',
      `data=${encodeURIComponent(Buffer.from(JSON.stringify(question)).toString('base64'))}`,
      { 'content-type': 'application/x-www-form-urlencoded' },
    ],
    [
      'numbers that JSON does not know',
      `{"token":"${KEY}","distinct_id":"NaN","person_properties":{"a":NaN,"b":[-Infinity]}}`,
      {},
    ],
    [
      'broken UTF-8',
      Buffer.concat([Buffer.from(`{"token":"${KEY}","distinct_id":"`), Buffer.from([0xff]), Buffer.from('"}')]),
      {},
    ],
    ['a numeric id', { ...question, distinct_id: 5 }, {}],
    ['nobody, when no flags are wanted', { token: KEY, disable_flags: true }, {}],
  ])('takes %s', async (_name, body, headers) => {
    expect((await post('/flags/?v=2', body, headers)).statusCode).toBe(200);
  });

  test.each([
    ['nothing', '', {}, 400],
    ['no JSON', '{', {}, 400],
    ['a list', [question], {}, 400],
    ['no distinct id', { token: KEY }, {}, 400],
    ['another type', question, { 'content-type': 'application/xml' }, 400],
    ['no token', { distinct_id: 'ann' }, {}, 401],
    ['unknown token', { ...question, token: 'tmk_x' }, {}, 401],
    ['secret key', { ...question, token: 'tms_x' }, {}, 401],
    ['too much', { ...question, person_properties: { a: 'x'.repeat(600_000) } }, {}, 413],
  ])('refuses %s', async (_name, body, headers, status) => {
    const response = await post('/flags/?v=2', body, headers);
    expect([response.statusCode, response.headers['content-type']]).toEqual([status, 'text/plain; charset=utf-8']);
  });

  test('without a question', async () => {
    expect((await get('/flags')).json()).toMatchObject({ flags: {}, sessionRecording: false });
    expect((await service.app.inject({ method: 'HEAD', url: '/flags/' })).statusCode).toBe(200);
    expect((await service.app.inject({ method: 'PUT', url: '/flags/' })).statusCode).toBe(405);
  });
});

describe('remote config', () => {
  test('as data', async () => {
    const response = await get(`/array/${KEY}/config`);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      token: KEY,
      supportedCompression: ['gzip', 'gzip-js'],
      analytics: { endpoint: '/i/v0/e/' },
      hasFeatureFlags: false,
      sessionRecording: false,
      elementsChainAsString: true,
      autocapture_opt_out: false,
      siteApps: [],
    });
  });

  test('as a script', async () => {
    const response = await get(`/array/${KEY}/config.js`);
    expect(response.headers['content-type']).toBe('application/javascript; charset=utf-8');
    const window: { _POSTHOG_REMOTE_CONFIG?: Record<string, unknown> } = {};
    new Function('window', response.body)(window);
    expect(window._POSTHOG_REMOTE_CONFIG?.[KEY]).toEqual({ config: (await get(`/array/${KEY}/config`)).json(), siteApps: [] });
  });

  test('follows the setting of the project', async () => {
    const { db } = service.deps;
    const set = (settings: object) =>
      db
        .updateTable('projects')
        .set({ settings: JSON.stringify(settings) })
        .where('id', '=', service.project.id)
        .execute();
    await set({ autocapture_opt_out: true });
    expect((await get(`/array/${KEY}/config`)).json().autocapture_opt_out).toBe(true);
    await set({});
  });

  test('unknown keys are not found', async () => {
    for (const url of ['/array/tmk_x/config', '/array/tmk_x/config.js', '/array/%00/config'])
      expect((await get(url)).statusCode).toBe(404);
  });
});

describe('small lists', () => {
  test.each([
    ['surveys', { surveys: [], survey_config: null }],
    ['early_access_features', { earlyAccessFeatures: [] }],
    ['web_experiments', { experiments: [] }],
    ['product_tours', { product_tours: [] }],
  ])('%s', async (name, expected) => {
    for (const slash of ['', '/']) {
      const response = await get(`/api/${name}${slash}?token=${KEY}`);
      expect([response.statusCode, response.json()]).toEqual([200, expected]);
      for (const query of ['', '?token=tmk_x', '?token=', '?token=%00', '?token=a&token=b']) {
        expect((await get(`/api/${name}${slash}${query}`)).statusCode).toBe(401);
      }
    }
  });
});

test.each(['/_readiness', '/_liveness'])('%s says a short word', async (url) => {
  const response = await get(url);
  expect([response.statusCode, response.body]).toEqual([200, 'ok']);
});
