import { gzipSync } from 'node:zlib';
import { processorMs } from '@tidemark/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FlagsApp, makeFlag, makeGroup, makePerson, startFlagsApp } from '../testing/flags-app.js';

let world: FlagsApp;
const ids: Record<string, number> = {};
const all = { groups: [{ properties: [], rollout_percentage: 100 }] };
const person = (key: string, value: unknown, operator = 'exact') => ({ key, value, operator, type: 'person' });

beforeAll(async () => {
  world = await startFlagsApp();
  await makeGroup(world, [0, 'company', 'acme'], { plan: 'team' });
  await makePerson(world, ['ann'], { email: 'ann@example.com', $browser: 'Firefox' });
  const flags = {
    on: { groups: [{ properties: [], rollout_percentage: 100 }], payloads: { true: '{"a":1}' } },
    off: { groups: [{ properties: [], rollout_percentage: 0 }] },
    variants: {
      groups: [{ properties: [], rollout_percentage: 100, variant: 'blue' }],
      multivariate: {
        variants: [
          { key: 'red', rollout_percentage: 50 },
          { key: 'blue', rollout_percentage: 50 },
        ],
      },
      payloads: { blue: '"sky"', red: '"rose"' },
    },
    known: { groups: [{ properties: [person('email', 'ann@example.com')] }] },
    first_browser: { groups: [{ properties: [person('$initial_browser', 'Firefox')] }] },
    company: {
      aggregation_group_type_index: 0,
      groups: [{ properties: [{ key: 'plan', value: 'team', type: 'group', group_type_index: 0 }] }],
    },
  };
  for (const [key, filters] of Object.entries(flags)) ids[key] = await makeFlag(world, { key, filters });
  await makeFlag(world, { key: 'inactive', active: false });
  await makeFlag(world, { key: 'gone', deleted: true });
});
afterAll(() => world.close());

const question = () => ({ token: world.token, distinct_id: 'ann', groups: { company: 'acme' } });

test('v2 has the value, variant, reason and payload of each active flag', async () => {
  const response = await world.post('/flags/?v=2', question());
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  const body = response.json();
  expect(Object.keys(body)).toEqual(['flags', 'errorsWhileComputingFlags', 'requestId', 'evaluatedAt']);
  expect(Object.keys(body.flags)).toEqual(['on', 'off', 'variants', 'known', 'first_browser', 'company']);
  expect(body.flags.on).toEqual({
    key: 'on',
    enabled: true,
    variant: null,
    reason: { code: 'condition_match', condition_index: 0, description: 'Matched condition set 1' },
    metadata: { id: ids.on, version: 1, description: null, payload: '{"a":1}' },
  });
  expect(body.flags.off).toMatchObject({
    enabled: false,
    variant: null,
    reason: { code: 'out_of_rollout_bound' },
    metadata: { payload: null },
  });
  expect(body.flags.variants).toMatchObject({ enabled: true, variant: 'blue', metadata: { payload: '"sky"' } });
  for (const key of ['known', 'first_browser', 'company']) expect(body.flags[key]).toMatchObject({ enabled: true });
  expect(body).toMatchObject({ errorsWhileComputingFlags: false, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  expect(Math.abs(body.evaluatedAt - Date.now())).toBeLessThan(10_000);
});

const values = { on: true, off: false, variants: 'blue', known: true, first_browser: true, company: true };
const payloads = { on: '{"a":1}', variants: '"sky"' };
const config = { supportedCompression: ['gzip', 'gzip-js'], sessionRecording: false, siteApps: [], hasFeatureFlags: true };
const on = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== false));

test.each([
  ['/flags?v=3', { flags: { on: { enabled: true } } }, false],
  ['/flags/?v=1', { featureFlags: values, featureFlagPayloads: payloads }, false],
  ['/flags/?v=x', { featureFlags: values }, false],
  ['/flags', { flags: { on: { enabled: true } } }, true],
  ['/flags/?v=2&config=true', { flags: { on: { enabled: true } } }, true],
  ['/flags/?config=1', { featureFlags: values }, true],
  ['/decide/?v=4', { flags: { on: { enabled: true } } }, true],
  ['/decide/?v=3&ip=1', { featureFlags: values, featureFlagPayloads: payloads }, true],
  ['/decide?v=2', { featureFlags: on }, true],
  ['/decide?v=1', { featureFlags: Object.keys(on) }, true],
  ['/decide/', { featureFlags: Object.keys(on) }, true],
])('%s', async (url, expected, hasConfig) => {
  const body = (await world.post(url, question())).json();
  expect(body).toMatchObject(expected);
  expect(body.errorsWhileComputingFlags).toBe(false);
  if (hasConfig) expect(body).toMatchObject(config);
  else expect(body).not.toHaveProperty('siteApps');
});

describe('forms of the request', () => {
  const flagsRequest = { distinct_id: 'ann', groups: { company: 'acme' } };
  const json = () => JSON.stringify({ token: world.token, ...flagsRequest });
  test.each<[string, () => string | Buffer, Record<string, string>, string?]>([
    ['gzip', () => gzipSync(json()), {}],
    ['gzip by header', () => gzipSync(json()), { 'content-encoding': 'gzip' }],
    ['JSON', json, { 'content-type': 'application/json; charset=utf-8' }],
    ['a type that says nothing', json, { 'content-type': '' }],
    ['base64', () => Buffer.from(json().padEnd(300)).toString('base64'), {}, '&compression=base64'],
    [
      'base64 in a form',
      () => `data=${encodeURIComponent(Buffer.from(json()).toString('base64'))}`,
      { 'content-type': 'application/x-www-form-urlencoded' },
    ],
    ['older names', () => JSON.stringify({ api_key: world.token, $distinct_id: 'ann', $groups: { company: 'acme' } }), {}],
    ['a number that JSON does not know', () => json().replace('{', '{"person_properties":{"n":NaN},'), {}],
  ])('%s', async (_name, body, headers, query = '') => {
    const response = await world.post(`/flags/?v=1${query}`, body(), headers);
    expect([response.statusCode, response.json().featureFlags]).toEqual([200, values]);
  });

  test.each(['\\"', '"', '\\', 'NaN"', 'a\\"-'])('half a megabyte of %j that is not JSON is refused at once', async (text) => {
    const body = `{"token":"${world.token}","n":NaN,"${text.repeat(500_000 / text.length)}`;
    for (const end of ['', '\\', '"']) {
      const took = await processorMs(async () => expect((await world.post('/flags/?v=2', body + end)).statusCode).toBe(400));
      // 24 KB took 7,000 ms
      expect(took).toBeLessThan(1000);
    }
  });

  test('properties of the request override stored ones', async () => {
    const ask = async (more: object) => (await world.post('/flags/?v=1', { ...question(), ...more })).json().featureFlags;
    expect(await ask({ person_properties: { email: 'other' } })).toMatchObject({ known: false, first_browser: true });
    expect(await ask({ $properties: { email: 'other' } })).toMatchObject({ known: false });
    expect(await ask({ distinct_id: 'bob', person_properties: { email: 'ann@example.com', $browser: 'Firefox' } })).toEqual(
      values,
    );
    expect(await ask({ group_properties: { company: { plan: 'free' } } })).toMatchObject({ company: false });
    expect(await ask({ groups: {} })).toMatchObject({ company: false });
    expect(await ask({ groups: { company: 5 }, group_properties: { company: { plan: 'team' } } })).toMatchObject({
      company: true,
    });
    expect(await ask({ groups: { planet: 'mars' } })).toMatchObject({ company: false });
  });

  test('only the named flags are evaluated', async () => {
    for (const name of ['flag_keys', 'flag_keys_to_evaluate']) {
      const response = await world.post('/flags/?v=2', { ...question(), [name]: ['on', 'known', 'inactive', 'nothing'] });
      expect(Object.keys(response.json().flags)).toEqual(['on', 'known']);
    }
    expect((await world.post('/flags/?v=1', { ...question(), flag_keys: [] })).json().featureFlags).toEqual({});
  });

  test('with flags switched off no distinct id is needed', async () => {
    const response = await world.post('/flags/?v=2', { token: world.token, disable_flags: true });
    expect([response.statusCode, response.json().flags]).toEqual([200, {}]);
    const survey = await world.post('/flags/?v=2&only_evaluate_survey_feature_flags=true', question());
    expect(survey.json().flags).toEqual({});
  });
});

describe('refused requests', () => {
  const flagsRequest = () => ({ token: world.token, distinct_id: 'ann' });
  test.each<[string, () => string | object, Record<string, string>, number]>([
    ['nothing', () => '', {}, 400],
    ['no JSON', () => '{', {}, 400],
    ['a list', () => [flagsRequest()], {}, 400],
    ['no distinct id', () => ({ token: world.token }), {}, 400],
    ['another type', flagsRequest, { 'content-type': 'application/xml' }, 400],
    ['no token', () => ({ distinct_id: 'ann' }), {}, 401],
    ['an unknown token', () => ({ ...flagsRequest(), token: 'tmk_x' }), {}, 401],
    ['a secret key', () => ({ ...flagsRequest(), token: world.personalKey }), {}, 401],
    ['too much', () => ({ ...flagsRequest(), person_properties: { a: 'x'.repeat(600_000) } }), {}, 413],
  ])('%s', async (_name, body, headers, status) => {
    for (const url of ['/flags/?v=2', '/decide/?v=3']) {
      const response = await world.post(url, body(), headers);
      expect([response.statusCode, response.headers['content-type']]).toEqual([status, 'text/plain; charset=utf-8']);
    }
  });
});

test('the refusal of a content type has it and the accepted ones', async () => {
  const response = await world.post('/flags/', question(), { 'content-type': 'application/xml; charset=utf-8' });
  expect([response.statusCode, response.body]).toEqual([
    400,
    'The content type "application/xml" is not taken here: send application/json, text/plain or application/x-www-form-urlencoded.',
  ]);
});

test('other methods get 405', async () => {
  const ask = (method: 'HEAD' | 'OPTIONS' | 'PUT' | 'GET', url: string) => world.app.inject({ method, url });
  expect((await world.get('/flags')).json()).toMatchObject({ flags: {}, sessionRecording: false });
  const statuses = await Promise.all([
    ask('HEAD', '/flags/'),
    ask('OPTIONS', '/flags/'),
    ask('PUT', '/flags/'),
    ask('OPTIONS', '/decide'),
    ask('GET', '/decide'),
  ]);
  expect(statuses.map(({ statusCode }) => statusCode)).toEqual([200, 204, 405, 204, 405]);
});

test('pages of any origin may request flags', async () => {
  const response = await world.post('/flags/?v=2', question(), { origin: 'https://shop.example' });
  expect(response.headers).toMatchObject({
    'access-control-allow-origin': 'https://shop.example',
    'access-control-allow-credentials': 'true',
  });
  const preflight = await world.app.inject({
    method: 'OPTIONS',
    url: '/flags/',
    headers: {
      origin: 'https://shop.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-odd',
    },
  });
  expect([preflight.statusCode, preflight.headers['access-control-allow-headers']]).toEqual([204, 'x-odd']);
});

test('a flag for everybody is on for ids that cannot be stored', async () => {
  for (const distinct_id of ['a\0b', '\ud83d', 'x'.repeat(1000), 0, '']) {
    const response = await world.post('/flags/?v=1', { ...question(), distinct_id, filters: all, groups: { company: 'a\0' } });
    expect([response.statusCode, response.json().featureFlags.on]).toEqual([200, true]);
  }
});
