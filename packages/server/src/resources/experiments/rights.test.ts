import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ExperimentCalls, experimentCalls, metric, variants } from '../../testing/experiment-calls.js';
import { startTestService, type TestService } from '../../testing/service.js';

let it: TestService;
let url: ExperimentCalls['url'];
let newKey: ExperimentCalls['newKey'];
let made: ExperimentCalls['made'];
let flagOf: ExperimentCalls['flagOf'];
beforeAll(async () => {
  it = await startTestService();
  ({ url, newKey, made, flagOf } = experimentCalls(it));
});
afterAll(() => it.close());

describe('access to experiments', () => {
  test('requests are checked in order: credentials, scope, project, experiment, access rules, body', async () => {
    const { id } = await made();
    const status = async (method: 'GET' | 'POST' | 'PATCH', path: string, own: string | null, body: object = { name: 7 }) =>
      (await it.call(method, path, { key: own, ...(method === 'GET' ? {} : { body }) })).statusCode;
    const read = await makeKey(['experiment:read']);
    const write = await makeKey(['experiment:write']);
    const other = await makeKey(['insight:write']);
    const item = `${url}${id}/`;
    expect(await status('GET', item, null)).toBe(401);
    expect(await status('GET', item, other)).toBe(403);
    expect(await status('GET', item, read)).toBe(200);
    for (const action of ['launch', 'pause', 'resume', 'reset', 'end', 'ship_variant', 'duplicate']) {
      expect([action, await status('POST', `${item}${action}/`, read)]).toEqual([action, 403]);
    }
    expect(await status('PATCH', item, read)).toBe(403);
    expect(await status('PATCH', `/api/projects/999999/experiments/${id}/`, write)).toBe(404);
    expect(await status('PATCH', `${url}999999/`, write, { name: '' })).toBe(404);
    expect(await status('PATCH', `${url}abc/`, write)).toBe(404);
    expect(await status('PATCH', item, write, { name: '' })).toBe(400);
    expect(await status('PATCH', item, write)).toBe(200);
  });

  test('access rules hide experiments and the flags in them, and stop viewers from changing them', async () => {
    const cookie = await joined();
    const as = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) =>
      it.call(method, path, { key: null, headers: { cookie }, ...(body ? { body } : {}) });
    const rule = async (path: string, access_level: string | null) =>
      expect((await it.call('PUT', `${path}access_controls/`, { body: { access_level } })).statusCode).toBeLessThan(300);
    const { id, feature_flag } = await made({ metrics: [metric] });
    const item = `${url}${id}/`;
    const flag = `/api/projects/${it.projectId}/feature_flags/${feature_flag.id}/`;
    expect((await as('GET', item)).json()).toMatchObject({ user_access_level: 'editor', feature_flag: { id: feature_flag.id } });

    await rule(flag, 'none');
    expect((await as('GET', item)).json()).toMatchObject({ feature_flag: null, feature_flag_key: feature_flag.key });
    await rule(flag, 'viewer');
    // who may change the experiment and not its flag starts nothing that is switched off, and ships nothing
    for (const action of ['launch', 'pause', 'resume', 'ship_variant']) {
      expect([action, (await as('POST', `${item}${action}/`, { variant_key: 'test' })).statusCode]).toEqual([action, 403]);
    }
    expect((await as('PATCH', item, { parameters: { feature_flag_variants: variants(30, 70) } })).statusCode).toBe(403);
    expect((await as('PATCH', item, { start_date: '2024-01-01' })).statusCode).toBe(403);
    expect((await as('PATCH', item, { description: 'Mine too' })).statusCode).toBe(200);
    expect((await as('GET', item)).json().status).toBe('draft');

    await rule(item, 'viewer');
    expect((await as('GET', item)).json().user_access_level).toBe('viewer');
    expect((await as('GET', `${item}results/`)).statusCode).toBe(400);
    for (const action of ['launch', 'pause', 'resume', 'reset', 'end', 'ship_variant']) {
      expect([action, (await as('POST', `${item}${action}/`, {})).statusCode]).toEqual([action, 403]);
    }
    expect((await as('PATCH', item, { name: '' })).statusCode).toBe(403);
    expect((await as('POST', `${item}duplicate/`, {})).statusCode).toBe(201);

    await rule(item, 'none');
    for (const path of ['', 'results/', 'activity/'])
      expect([path, (await as('GET', item + path)).statusCode]).toEqual([path, 403]);
    expect((await as('POST', `${item}duplicate/`, {})).statusCode).toBe(403);
    const seen = (await as('GET', url)).json().results.map((one: { id: number }) => one.id);
    expect(seen.length > 0 && !seen.includes(id)).toBe(true);
  });

  test('experiments of other projects cannot be reached', async () => {
    const { id, feature_flag_key: key } = await made({ metrics: [metric] });
    const other = (await it.call('POST', '/api/projects/', { body: { name: 'Other' } })).json();
    const there = `/api/projects/${other.id}/experiments/`;
    expect((await it.call('GET', there)).json().count).toBe(0);
    for (const path of ['', 'results/', 'activity/', 'access_controls/']) {
      expect([path, (await it.call('GET', `${there}${id}/${path}`)).statusCode]).toEqual([path, 404]);
    }
    for (const action of ['launch', 'pause', 'resume', 'reset', 'end', 'ship_variant', 'duplicate']) {
      expect([action, (await it.call('POST', `${there}${id}/${action}/`, { body: {} })).statusCode]).toEqual([action, 404]);
    }
    expect((await it.call('PATCH', `${there}${id}/`, { body: { name: 'x' } })).statusCode).toBe(404);
    // the same key there is another flag
    const twin = await it.call('POST', there, { body: { name: 'Twin', feature_flag_key: key } });
    expect([twin.statusCode, twin.json().feature_flag.active]).toEqual([201, false]);
    expect(twin.json().feature_flag.id).not.toBe((await flagOf(key)).id);
  });
});

/** Logs a new member of the organization in. */
async function joined(): Promise<string> {
  const invite = await it.call('POST', '/api/organizations/@current/invites/', { body: { target_email: 'ann@example.com' } });
  const body = { first_name: 'Ann', password: 'a long and strong passphrase 42' };
  const { cookies } = await it.call('POST', `/api/signup/${invite.json().id}/`, { key: null, body });
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
}

async function makeKey(scopes: string[]): Promise<string> {
  const login = await it.call('POST', '/api/login/', {
    key: null,
    body: { email: 'owner@example.com', password: 'a long and strong passphrase 42' },
  });
  const cookie = login.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const answer = await it.call('POST', '/api/personal_api_keys/', {
    key: null,
    headers: { cookie },
    body: { label: 'key', scopes },
  });
  return answer.json().value;
}

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom<unknown>(
    '\0',
    '\ud800',
    1e308,
    -1,
    [[]],
    [{}],
    [metric],
    { a: '\u0000' },
    '2024-01-01',
    '9999-12-31',
    '0001-01-01',
    variants(50, 50),
    'x'.repeat(5000),
  ),
);
const nested = fc.oneof(
  odd,
  fc.dictionary(
    fc.constantFrom(
      'feature_flag_variants',
      'minimum_detectable_effect',
      'rollout_percentage',
      'exposure_config',
      'method',
      'bayesian',
      'event',
      'properties',
    ),
    odd,
  ),
);
const NAMES = [
  'name',
  'description',
  'start_date',
  'end_date',
  'archived',
  'parameters',
  'metrics',
  'metrics_secondary',
  'stats_config',
  'exposure_criteria',
  'holdout',
  'conclusion',
  'variant_key',
  'feature_flag_key',
];

test('no request body causes a 500', async () => {
  const { id } = await made();
  const paths = ['', `${id}/`, `${id}/end/`, `${id}/ship_variant/`, `${id}/duplicate/`];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), fc.dictionary(fc.constantFrom(...NAMES), nested), async (path, body) => {
      const method = path === `${id}/` ? 'PATCH' : 'POST';
      const whole = path === '' ? { name: 'x', feature_flag_key: newKey(), ...body } : body;
      const answer = await it.call(method, url + path, { body: whole });
      expect([answer.statusCode, answer.body]).toEqual([expect.toSatisfy((status) => status < 500), expect.any(String)]);
      expect((await it.call('GET', `${url}${id}/results/`)).statusCode).toBeLessThan(500);
    }),
    { numRuns: 70 },
  );
});
