import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processorMs } from '@tidemark/testkit';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type FlagsApp, makeFlag, makeGroup, makePerson, startFlagsApp } from '../testing/flags-app.js';
import { mmdb } from '../testing/mmdb.js';

let world: FlagsApp;
beforeAll(async () => {
  world = await startFlagsApp();
});
afterAll(() => world.close());

const person = (key: string, value: unknown, operator = 'exact') => ({ key, value, operator, type: 'person' });
const filters = (...properties: object[]) => ({ groups: [{ properties, rollout_percentage: 100 }] });
const half = { groups: [{ properties: [], rollout_percentage: 50 }] };

async function ask(distinct_id: string | number, more: object = {}, headers: Record<string, string> = {}) {
  const response = await world.post('/flags/?v=1', { token: world.token, distinct_id, ...more }, headers);
  expect(response.statusCode).toBe(200);
  return response.json().featureFlags;
}

/** Ids that a flag's rollout takes differently. */
async function unlikeIds(key: string): Promise<[inside: string, outside: string]> {
  const found = new Map<boolean, string>();
  for (let i = 0; found.size < 2; i++) found.set((await ask(`${key}-${i}`))[key], `${key}-${i}`);
  return [found.get(true) ?? '', found.get(false) ?? ''];
}

const keptOf = (person: number) => () =>
  world.deps.db
    .selectFrom('feature_flag_hash_keys')
    .select(['flag_key', 'hash_key'])
    .where('person_id', '=', person)
    .orderBy('flag_key')
    .execute();

describe('experience continuity', () => {
  test('a person keeps the value from before identify, also for later ids', async () => {
    await makeFlag(world, { key: 'steady', filters: half, ensure_experience_continuity: true });
    await makeFlag(world, { key: 'plain', filters: half });
    await expect.poll(() => ask('x')).toHaveProperty('plain');
    const [inside, outside] = await unlikeIds('steady');
    const id = await makePerson(world, [outside, inside]);
    expect(await ask(outside, { $anon_distinct_id: inside })).toMatchObject({ steady: true });
    expect(await ask(outside)).toMatchObject({ steady: true });
    const stored = keptOf(id);
    await expect.poll(stored).toEqual([{ flag_key: 'steady', hash_key: inside }]);
    // another former id does not take its place
    const queries = vi.spyOn(pg.Client.prototype, 'query');
    try {
      await ask(outside, { anon_distinct_id: 'another' });
      const attempts = () =>
        queries.mock.calls.flatMap(([query], at) =>
          JSON.stringify(query).includes('insert into feature_flag_hash_keys') ? [queries.mock.results[at]?.value] : [],
        );
      await expect.poll(() => attempts().length).toBe(1);
      await attempts()[0];
    } finally {
      queries.mockRestore();
    }
    expect(await stored()).toEqual([{ flag_key: 'steady', hash_key: inside }]);
    world.advance(11_000);
    expect(await ask(outside)).toMatchObject({ steady: true });
  });

  test('the former id applies before the event that creates the person exists, also for the only such person', async () => {
    const alone = await startFlagsApp();
    await makeFlag(alone, { key: 'plain', filters: half, ensure_experience_continuity: true });
    const [inside, outside] = await unlikeIds('plain');
    const flagsOf = async (body: object) =>
      (await alone.post('/flags/?v=1', { token: alone.token, distinct_id: outside, ...body })).json().featureFlags;
    await expect.poll(() => flagsOf({})).toEqual({ plain: false });
    expect(await flagsOf({ $anon_distinct_id: inside })).toEqual({ plain: true });
    expect(await flagsOf({})).toEqual({ plain: true });
    await alone.close();
  });

  test('concurrent requests for persons share one statement', async () => {
    const everybody = Array.from({ length: 40 }, (_, index) => index);
    const statements = vi.spyOn(pg.Client.prototype, 'query');
    try {
      for (const index of everybody) await ask(`waiting ${index}`, { $anon_distinct_id: `waiting anonymous ${index}` });
      const mostInOne = () =>
        Math.max(...statements.mock.calls.map(([query]) => new Set(JSON.stringify(query).match(/waiting anonymous \d+/g)).size));
      await expect.poll(mostInOne).toBe(40);
    } finally {
      statements.mockRestore();
    }
    const id = await makePerson(world, ['waiting 7', 'waiting anonymous 7']);
    await expect.poll(keptOf(id)).toEqual([{ flag_key: 'steady', hash_key: 'waiting anonymous 7' }]);
  });

  test('the former id has no effect on flags without it (B.6)', async () => {
    const [inside, outside] = await unlikeIds('plain');
    expect(await ask(outside, { $anon_distinct_id: inside })).toMatchObject({ plain: false });
    expect(await ask(inside, { $anon_distinct_id: outside })).toMatchObject({ plain: true });
  });

  test('it applies also if the event that creates the person arrives after the request', async () => {
    await makeFlag(world, { key: 'late', filters: half, ensure_experience_continuity: true });
    await expect.poll(() => ask('x')).toHaveProperty('late');
    const [inside, outside] = await unlikeIds('late');
    expect(await ask(outside, { $anon_distinct_id: inside })).toMatchObject({ late: true });
    expect(await ask(outside)).toMatchObject({ late: true });
    const id = await makePerson(world, [inside, outside]);
    await expect.poll(keptOf(id)).toEqual(['late', 'steady'].map((flag_key) => ({ flag_key, hash_key: inside })));
    world.advance(11_000);
    expect(await ask(outside)).toMatchObject({ late: true });
  });

  test('it applies on other servers too, which knew the person before', async () => {
    await makeFlag(world, { key: 'elsewhere', filters: half, ensure_experience_continuity: true });
    await expect.poll(() => ask('x')).toHaveProperty('elsewhere');
    const other = await startFlagsApp({ beside: world });
    const [inside, outside] = await unlikeIds('elsewhere');
    const id = await makePerson(world, [outside, inside]);
    const askOther = async () =>
      (await other.post('/flags/?v=1', { token: world.token, distinct_id: outside })).json().featureFlags;
    expect(await askOther()).toMatchObject({ elsewhere: false });
    await ask(outside, { $anon_distinct_id: inside });
    await expect.poll(keptOf(id)).toContainEqual({ flag_key: 'elsewhere', hash_key: inside });
    expect(await askOther()).toMatchObject({ elsewhere: true });
    await other.close();
  });
});

test('flags that are rolled out by device need a device id', async () => {
  await makeFlag(world, { key: 'device', filters: { groups: [{ rollout_percentage: 50 }] }, bucketing_identifier: 'device_id' });
  await expect.poll(() => ask('x')).toMatchObject({ device: false });
  const values = await Promise.all(Array.from({ length: 20 }, async (_, i) => (await ask('x', { $device_id: `d${i}` })).device));
  expect(new Set(values)).toEqual(new Set([true, false]));
  expect(await ask('y', { device_id: 'd3' })).toMatchObject({ device: values[3] });
});

test('flags for servers are not sent to pages, and flags for pages not to servers', async () => {
  await makeFlag(world, { key: 'for servers', evaluation_runtime: 'server' });
  await makeFlag(world, { key: 'for pages', evaluation_runtime: 'client' });
  await expect.poll(() => ask('x', {}, { 'user-agent': 'posthog-node/5.70.0' })).toHaveProperty('for servers');
  const shown = async (headers: Record<string, string>, more: object = {}) =>
    Object.keys(await ask('x', more, headers)).filter((key) => key.startsWith('for '));
  expect(await shown({ 'user-agent': 'posthog-python/6.1.0' })).toEqual(['for servers']);
  expect(await shown({ 'user-agent': 'Mozilla/5.0 (X11)' })).toEqual(['for pages']);
  expect(await shown({ 'user-agent': 'whatever', origin: 'https://shop.example' })).toEqual(['for pages']);
  expect(await shown({ 'user-agent': 'whatever' })).toEqual(['for pages']);
  expect(await shown({ 'user-agent': 'whatever' }, { evaluation_runtime: 'server' })).toEqual(['for servers']);
});

test('flags with contexts are sent to clients that name one of them, or none', async () => {
  await makeFlag(world, { key: 'in shop', evaluation_contexts: ['shop', 'docs'] });
  await expect.poll(() => ask('x')).toHaveProperty('in shop');
  expect(await ask('x', { evaluation_contexts: ['docs'] })).toMatchObject({ 'in shop': true, plain: expect.any(Boolean) });
  expect(await ask('x', { evaluation_environments: ['blog'] })).not.toHaveProperty('in shop');
  expect(await ask('x', { evaluation_contexts: ['blog'] })).toHaveProperty('plain');
});

test('static cohorts are looked up in the store, dynamic ones are computed from properties', async () => {
  const cohort = async (fields: object) =>
    (
      await world.deps.db
        .insertInto('cohorts')
        .values({ project_id: world.projectId, created_at: new Date(0), updated_at: new Date(0), ...fields })
        .returning('id')
        .executeTakeFirstOrThrow()
    ).id;
  const listed = await cohort({ is_static: true });
  const computed = await cohort({ filters: JSON.stringify({ properties: { type: 'AND', values: [person('plan', 'team')] } }) });
  const member = await makePerson(world, ['member'], { plan: 'team' });
  await makePerson(world, ['stranger'], { plan: 'free' });
  await world.deps.db.insertInto('cohort_people').values({ cohort_id: listed, person_id: member }).execute();
  const within = (value: number) => filters({ key: 'id', type: 'cohort', value, operator: 'in' });
  await makeFlag(world, { key: 'listed', filters: within(listed) });
  await makeFlag(world, { key: 'computed', filters: within(computed) });
  await expect.poll(() => ask('member')).toMatchObject({ listed: true, computed: true });
  expect(await ask('stranger')).toMatchObject({ listed: false, computed: false });
  expect(await ask('nobody')).toMatchObject({ listed: false, computed: false });
  expect(await ask('stranger', { person_properties: { plan: 'team' } })).toMatchObject({ listed: false, computed: true });
});

test('the location of the first address of X-Forwarded-For is a property of the person, unless the client disables it (B.2)', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tidemark-geoip-'));
  const geoipFile = join(home, 'city.mmdb');
  await writeFile(geoipFile, mmdb({ '81.2': { city: { names: { en: 'London' } } } }));
  const placed = await startFlagsApp({ beside: world, config: { geoipFile, trustedProxies: ['127.0.0.1', '10.0.0.1'] } });
  await makeFlag(world, { key: 'londoners', filters: filters(person('$geoip_city_name', 'London')) });
  await makePerson(world, ['traveller'], { $geoip_city_name: 'Bonn' });
  const from = async (address: string, more: object = {}) => {
    const question = { token: world.token, distinct_id: 'traveller', ...more };
    const answer = await placed.post('/flags/?v=1', question, { 'x-forwarded-for': `${address}, 10.0.0.1` });
    return answer.json().featureFlags.londoners;
  };
  await expect.poll(() => from('81.2.69.142')).toBe(true);
  expect(await from('9.9.9.9')).toBe(false);
  expect(await from('81.2.69.142', { geoip_disable: true })).toBe(false);
  expect(await from('81.2.69.142', { person_properties: { $geoip_city_name: 'Oslo' } })).toBe(false);
  await placed.close();
  await rm(home, { recursive: true, force: true });
});

test('a dot in a name is part of it, or leads into objects, as in queries', async () => {
  await makePerson(world, ['nested'], { address: { city: 'Oslo' }, 'a.b': 'own', a: { b: 'inner' } });
  await makeGroup(world, [0, 'company', 'nested'], { plan: { name: 'pro' } });
  await makeFlag(world, { key: 'in-oslo', filters: filters(person('address.city', 'Oslo')) });
  await makeFlag(world, { key: 'own', filters: filters(person('a.b', 'own')) });
  const pro = { key: 'plan.name', value: 'pro', type: 'group', operator: 'exact', group_type_index: 0 };
  await makeFlag(world, { key: 'pro', filters: { aggregation_group_type_index: 0, groups: [{ properties: [pro] }] } });
  const groups = { company: 'nested' };
  await expect.poll(() => ask('nested', { groups })).toMatchObject({ 'in-oslo': true, own: true, pro: true });
  // the object that is sent takes the place of the one that is stored
  const sent = { address: { street: 'x' }, a: { b: 'other' } };
  expect(await ask('nested', { person_properties: sent })).toMatchObject({ 'in-oslo': false, own: true, pro: false });
  expect(await ask('stranger', { person_properties: { address: { city: 'Oslo' } } })).toMatchObject({
    'in-oslo': true,
    own: false,
  });
});

test('the key of a group counts as its property', async () => {
  await makeGroup(world, [0, 'company', 'acme'], {});
  const condition = { key: '$group_key', value: ['acme'], type: 'group', operator: 'exact', group_type_index: 0 };
  await makeFlag(world, { key: 'acme', filters: { aggregation_group_type_index: 0, groups: [{ properties: [condition] }] } });
  await expect.poll(() => ask('x', { groups: { company: 'acme' } })).toMatchObject({ acme: true });
  expect(await ask('x', { groups: { company: 'other' } })).toMatchObject({ acme: false });
});

test('secret payloads are left out, and payloads that are not texts become JSON', async () => {
  await makeFlag(world, { key: 'secret', has_encrypted_payloads: true, filters: { ...filters(), payloads: { true: '"hush"' } } });
  await makeFlag(world, { key: 'object', filters: { ...filters(), payloads: { true: { a: 1 } } } });
  await expect.poll(() => ask('x')).toHaveProperty('object');
  const body = (await world.post('/flags/?v=1', { token: world.token, distinct_id: 'x' })).json();
  expect(body.featureFlagPayloads.object).toBe('{"a":1}');
  expect(body.featureFlagPayloads).not.toHaveProperty('secret');
  const { flags } = (await world.post('/flags/?v=2', { token: world.token, distinct_id: 'x' })).json();
  expect(flags.secret).toMatchObject({ enabled: true, metadata: { payload: null } });
});

test('regexes run in linear time; unsupported ones match nobody', async () => {
  await makeFlag(world, { key: 'slow', filters: filters(person('text', '(a+)+$', 'regex')) });
  await makeFlag(world, { key: 'around', filters: filters(person('text', 'a(?=b)', 'regex')) });
  await makeFlag(world, { key: 'found', filters: filters(person('text', '^a{3}', 'regex')) });
  await makeFlag(world, { key: 'not around', filters: filters(person('text', 'a(?=b)', 'not_regex')) });
  await expect.poll(() => ask('x')).toHaveProperty('not around');
  const start = process.cpuUsage();
  expect(await ask('x', { person_properties: { text: `${'a'.repeat(5_000)}b` } })).toMatchObject({
    slow: false,
    around: false,
    found: true,
    'not around': false,
  });
  // microseconds of the processor: a search that tries all ways would take years
  expect(process.cpuUsage(start).user).toBeLessThan(3_000_000);
});

test('the regexes of one request have a total time limit; those beyond it match nobody', async () => {
  const heavy = '(a+)+'.repeat(60).concat('$');
  await makeFlag(world, { key: 'light', filters: filters(person('text', '^a+b$', 'regex')) });
  await makeFlag(world, {
    key: 'heavy',
    filters: { groups: Array.from({ length: 50 }, () => ({ properties: [person('text', heavy, 'regex')] })) },
  });
  await expect.poll(() => ask('x')).toHaveProperty('heavy');
  const took = await processorMs(async () =>
    expect(await ask('x', { person_properties: { text: `${'a'.repeat(6_000)}b` } })).toMatchObject({ light: true, heavy: false }),
  );
  // to try each of the 50 took 1,800 ms
  expect(took).toBeLessThan(900);
  expect(await ask('x', { person_properties: { text: 'a'.repeat(100) } })).toMatchObject({ heavy: true });
});

test('the last call of a flag is stored when a client requests it or captures its report', async () => {
  const id = await makeFlag(world, { key: 'called' });
  await expect.poll(() => ask('x')).toHaveProperty('called');
  await ask('x', { flag_keys: ['called'] });
  const last = async () =>
    (
      await world.deps.db
        .selectFrom('feature_flags')
        .select(['key', 'last_called_at'])
        .where('last_called_at', 'is not', null)
        .execute()
    ).map(({ key }) => key);
  await expect.poll(last).toEqual(['called']);
  expect(id).toBeGreaterThan(0);
  // of other events, the property is no call; the call after them shows that they are written
  await makeFlag(world, { key: 'mentioned' });
  await makeFlag(world, { key: 'called later' });
  const calls = world.deps.services.flagCalls;
  calls.eventStored(world.projectId, '$pageview', { $feature_flag: 'mentioned' });
  calls.eventStored(world.projectId, '$feature_flag_called', { $feature_flag: 'called later' });
  await expect.poll(last).toContain('called later');
  expect(await last()).not.toContain('mentioned');
});

test('lists of unsupported features are empty, and need a project key as all lists do', async () => {
  for (const [url, body] of [
    ['/api/web_experiments', { experiments: [] }],
    ['/api/product_tours', { product_tours: [] }],
  ] as const) {
    expect((await world.get(`${url}/?token=${world.token}`)).json()).toEqual(body);
    expect((await world.get(`${url}/?token=tmk_unknown`)).statusCode).toBe(401);
    expect((await world.get(`${url}/`)).statusCode).toBe(401);
  }
});

test('early access features by stage', async () => {
  const flag = await makeFlag(world, { key: 'new editor' });
  for (const [name, stage] of [
    ['Idea', 'concept'],
    ['Editor', 'beta'],
    ['Draft', 'draft'],
    ['Alpha', 'alpha'],
  ] as const) {
    await world.deps.db
      .insertInto('early_access_features')
      .values({
        id: world.deps.ids.uuid(),
        project_id: world.projectId,
        feature_flag_id: name === 'Idea' ? null : flag,
        name,
        stage,
        documentation_url: 'https://docs.example',
        created_at: new Date(world.deps.clock.now()),
        updated_at: new Date(0),
      })
      .execute();
  }
  const list = async (query = '') =>
    (await world.get(`/api/early_access_features/?token=${world.token}${query}`)).json().earlyAccessFeatures;
  await expect.poll(list).toEqual([
    {
      id: expect.any(String),
      name: 'Editor',
      description: '',
      stage: 'beta',
      documentationUrl: 'https://docs.example',
      payload: {},
      flagKey: 'new editor',
    },
  ]);
  const names = async (query: string) => (await list(query)).map((feature: { name: string }) => feature.name).sort();
  await expect.poll(() => names('&stage=concept&stage=alpha&stage=beta&stage=draft')).toEqual(['Alpha', 'Editor', 'Idea']);
  expect(await names('&stage=concept')).toEqual(['Idea']);
});
