import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { secretHash } from '../auth/index.js';
import { type FlagsApp, makeFlag, makeGroup, startFlagsApp } from '../testing/flags-app.js';

let world: FlagsApp;
const ids: Record<string, number> = {};
const cohorts: Record<string, number> = {};
const person = (key: string, value: unknown) => ({ key, value, operator: 'exact', type: 'person' });
const inCohort = (name: string, more: object = {}) => ({
  key: 'id',
  type: 'cohort',
  value: cohorts[name],
  operator: 'in',
  ...more,
});

async function makeCohort(name: string, properties: object | null): Promise<void> {
  const at = new Date(0);
  const { id } = await world.deps.db
    .insertInto('cohorts')
    .values({
      project_id: world.projectId,
      name,
      is_static: properties === null,
      filters: JSON.stringify(properties ? { properties } : {}),
      created_at: at,
      updated_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  cohorts[name] = id;
}

async function makeKey(scopes: string[]): Promise<string> {
  const key = `tms_${world.deps.ids.token(32)}`;
  const { id } = await world.deps.db.selectFrom('users').select('id').executeTakeFirstOrThrow();
  await world.deps.db
    .insertInto('personal_api_keys')
    .values({
      id: world.deps.ids.token(8),
      user_id: id,
      label: 'x',
      secure_hash: secretHash(key),
      mask_value: 'x',
      scopes,
      created_at: new Date(0),
    })
    .execute();
  return key;
}

beforeAll(async () => {
  world = await startFlagsApp();
  await makeGroup(world, [0, 'company', 'acme']);
  await makeCohort('all of', { type: 'AND', values: [{ type: 'AND', values: [person('a', 1), person('b', 2)] }] });
  await makeCohort('one of', { type: 'OR', values: [person('a', 1), { type: 'AND', values: [person('b', 2), person('c', 3)] }] });
  await makeCohort('nested', { type: 'AND', values: [inCohort('all of')] });
  await makeCohort('listed', null);
  await makeCohort('doers', { type: 'AND', values: [{ key: 'bought', type: 'behavioral', value: 'performed_event' }] });
  await makeCohort('of doers', { type: 'OR', values: [person('a', 1), inCohort('doers')] });
  await makeCohort('unused', { type: 'AND', values: [person('z', 1)] });
  const flag = async (key: string, properties: object[], more: object = {}) => {
    ids[key] = await makeFlag(world, { key, filters: { groups: [{ properties, rollout_percentage: 50 }] }, ...more });
  };
  await flag('plain', [person('x', 1)]);
  await flag('depends', [{ key: String(ids.plain), type: 'flag', value: true, operator: 'flag_evaluates_to' }]);
  await flag('deeper', [{ key: String(ids.depends), type: 'flag', value: true, operator: 'flag_evaluates_to' }]);
  await flag('dangling', [{ key: '999999', type: 'flag', value: true }]);
  for (const name of ['all of', 'one of', 'nested', 'listed', 'of doers']) await flag(name, [person('x', 1), inCohort(name)]);
  await flag('not in', [inCohort('all of', { operator: 'not_in' })]);
  await flag('inactive', [], { active: false });
  await makeFlag(world, { key: 'odd', filters: [] });
  await makeFlag(world, {
    key: 'value',
    is_remote_configuration: true,
    filters: { groups: [], payloads: { true: '{"secret":1}' } },
  });
});
afterAll(() => world.close());

const PATHS = ['/flags/definitions', '/api/feature_flag/local_evaluation/'];
const ask = (query = `?token=${world.token}&send_cohorts`, headers: Record<string, string> = {}, path = PATHS[0]) =>
  world.get(`${path}${query}`, { authorization: `Bearer ${world.personalKey}`, ...headers });

test.each(PATHS)('%s has the flags with dependencies by key, and the cohorts they use', async (path) => {
  const response = await ask(undefined, {}, path);
  expect(response.statusCode).toBe(200);
  const body = response.json();
  expect(Object.keys(body)).toEqual(['flags', 'group_type_mapping', 'cohorts']);
  expect(body.group_type_mapping).toEqual({ 0: 'company' });
  const flags = new Map<string, { filters: { groups: { properties: object[] }[] } }>(
    body.flags.map((flag: { key: string }) => [flag.key, flag]),
  );
  expect([...flags.keys()]).toEqual([
    'plain',
    'depends',
    'deeper',
    'dangling',
    'all of',
    'one of',
    'nested',
    'listed',
    'of doers',
    'not in',
    'inactive',
    'odd',
  ]);
  expect(flags.get('plain')).toEqual({
    id: ids.plain,
    team_id: world.projectId,
    name: '',
    key: 'plain',
    active: true,
    deleted: false,
    version: 1,
    ensure_experience_continuity: false,
    bucketing_identifier: 'distinct_id',
    evaluation_runtime: 'all',
    evaluation_contexts: [],
    has_encrypted_payloads: false,
    filters: {
      groups: [{ properties: [person('x', 1)], rollout_percentage: 50 }],
      multivariate: null,
      payloads: {},
      aggregation_group_type_index: null,
    },
  });
  const first = (key: string) => flags.get(key)?.filters.groups[0]?.properties[0];
  expect(first('depends')).toMatchObject({ key: 'plain', dependency_chain: ['plain'] });
  expect(first('deeper')).toMatchObject({ key: 'depends', dependency_chain: ['plain', 'depends'] });
  expect(first('dangling')).toMatchObject({ dependency_chain: [] });
  expect(flags.get('inactive')).toMatchObject({ active: false });
  expect(flags.get('odd')?.filters.groups).toEqual([]);
  // lists are for the server alone; the others come with what they look at
  expect(Object.keys(body.cohorts)).toEqual([cohorts['all of'], cohorts['one of'], cohorts.nested].map(String));
});

test('secret payloads are left out, as in /flags', async () => {
  const filters = { groups: [{}], payloads: { true: '"hush"' } };
  const id = await makeFlag(world, { key: 'secret', has_encrypted_payloads: true, filters });
  await expect
    .poll(async () => (await ask()).json().flags.find((flag: { key: string }) => flag.key === 'secret')?.filters.payloads)
    .toEqual({});
  await world.deps.db.deleteFrom('feature_flags').where('id', '=', id).execute();
});

test('a cycle has an empty chain', async () => {
  const a = await makeFlag(world, { key: 'a' });
  const on = (id: number) => JSON.stringify({ groups: [{ properties: [{ key: String(id), type: 'flag', value: true }] }] });
  const b = await makeFlag(world, { key: 'b', filters: JSON.parse(on(a)) });
  const { db } = world.deps;
  await db
    .updateTable('feature_flags')
    .set({ filters: on(b) })
    .where('id', '=', a)
    .execute();
  await expect
    .poll(async () =>
      (await ask())
        .json()
        .flags.filter((flag: { key: string }) => ['a', 'b'].includes(flag.key))
        .map((flag: { filters: { groups: { properties: object[] }[] } }) => flag.filters.groups[0]?.properties[0]),
    )
    .toMatchObject([
      { key: 'b', dependency_chain: [] },
      { key: 'a', dependency_chain: [] },
    ]);
  await db.deleteFrom('feature_flags').where('id', 'in', [a, b]).execute();
});

test('without send_cohorts, simple cohorts are sent as conditions on persons', async () => {
  const body = (await ask(`?token=${world.token}`)).json();
  const groups = (key: string) => body.flags.find((flag: { key: string }) => flag.key === key).filters.groups;
  expect(body.cohorts).toEqual({});
  expect(groups('all of')).toEqual([{ properties: [person('x', 1), person('a', 1), person('b', 2)], rollout_percentage: 50 }]);
  expect(groups('one of')).toEqual([
    { properties: [person('x', 1), person('a', 1)], rollout_percentage: 50 },
    { properties: [person('x', 1), person('b', 2), person('c', 3)], rollout_percentage: 50 },
  ]);
  for (const name of ['nested', 'listed', 'of doers']) expect(groups(name)[0].properties[1]).toEqual(inCohort(name));
  expect(groups('not in')[0].properties).toEqual([inCohort('all of', { operator: 'not_in' })]);
});

test('unchanged definitions get 304', async () => {
  const first = await ask();
  const etag = String(first.headers.etag);
  for (const mark of [etag, etag.replace('W/', ''), `"other", ${etag}`]) {
    const again = await ask(undefined, { 'if-none-match': mark });
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
  }
  await makeFlag(world, { key: 'later' });
  await expect.poll(async () => (await ask(undefined, { 'if-none-match': etag })).statusCode).toBe(200);
  expect((await ask()).headers.etag).not.toBe(etag);
});

test('responses are compressed if the client accepts it', async () => {
  const plain = await ask();
  for (let i = 0; i < 2; i++) {
    const response = await ask(undefined, { 'accept-encoding': 'br, gzip, deflate' });
    expect([response.headers['content-encoding'], response.headers.etag]).toEqual(['gzip', plain.headers.etag]);
    expect(gunzipSync(response.rawPayload)).toEqual(plain.rawPayload);
  }
});

describe('access to definitions', () => {
  test('credentials', async () => {
    const token = `?token=${world.token}`;
    const status = async (key: string | null, query = token) =>
      (await world.get(`/flags/definitions${query}`, key ? { authorization: `Bearer ${key}` } : {})).statusCode;
    expect(await status(null)).toBe(401);
    expect(await status('tms_wrong')).toBe(401);
    expect(await status(world.token)).toBe(401);
    expect(await status(await makeKey(['insight:read']))).toBe(403);
    expect(await status(await makeKey(['feature_flag:read']))).toBe(200);
    expect(await status(await makeKey(['feature_flag:write']), '')).toBe(200);
    expect(await status(world.personalKey, '?token=tmk_unknown')).toBe(401);
    expect(await status(world.personalKey, '?token=%00')).toBe(401);
  });

  test('after the key is deleted it is refused', async () => {
    const key = await makeKey(['feature_flag:read']);
    const status = async () => (await ask(undefined, { authorization: `Bearer ${key}` })).statusCode;
    expect([await status(), await status()]).toEqual([200, 200]);
    await world.deps.db.deleteFrom('personal_api_keys').where('secure_hash', '=', secretHash(key)).execute();
    await expect.poll(status).toBe(401);
  });

  test('pages of any origin may read them, without cookies, which may be those of a session (E.1)', async () => {
    for (const url of PATHS) {
      const origin = 'https://tool.example';
      const answer = await world.get(`${url}?token=${world.token}`, { origin, authorization: `Bearer ${world.personalKey}` });
      const preflight = await world.app.inject({
        method: 'OPTIONS',
        url,
        headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' },
      });
      expect([answer.statusCode, preflight.statusCode]).toEqual([200, 204]);
      for (const { headers } of [answer, preflight]) {
        expect(headers['access-control-allow-origin']).toBe('*');
        expect(headers).not.toHaveProperty('access-control-allow-credentials');
      }
      expect(preflight.headers['access-control-allow-headers']).toBe('authorization');
    }
  });

  test('scopes', async () => {
    for (const url of PATHS) {
      const statuses = await Promise.all(
        (['OPTIONS', 'POST', 'DELETE'] as const).map(async (method) => (await world.app.inject({ method, url })).statusCode),
      );
      expect(statuses).toEqual([204, 405, 405]);
      const head = await world.app.inject({
        method: 'HEAD',
        url: `${url}?token=${world.token}`,
        headers: { authorization: `Bearer ${world.personalKey}` },
      });
      expect([head.statusCode, head.body]).toEqual([200, '']);
    }
  });
});

test('the payload of one flag, for programs with a key', async () => {
  const path = (key: string, query = `?token=${world.token}`) =>
    `/api/projects/@current/feature_flags/${key}/remote_config${query}`;
  const auth = { authorization: `Bearer ${world.personalKey}` };
  const response = await world.get(path('value'), auth);
  expect([response.statusCode, response.json()]).toEqual([200, '{"secret":1}']);
  expect((await world.get(path('value', ''), auth)).json()).toBe('{"secret":1}');
  expect((await world.get(path('plain'), auth)).body).toBe('null');
  expect((await world.get(path('inactive'), auth)).statusCode).toBe(404);
  expect((await world.get(path('nothing'), auth)).statusCode).toBe(404);
  expect((await world.get(path('value', '?token=tmk_x'), auth)).statusCode).toBe(401);
  expect((await world.get(path('value'))).statusCode).toBe(401);
});
