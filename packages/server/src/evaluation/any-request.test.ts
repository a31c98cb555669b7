import { anything, assert, asyncProperty, constantFrom, dictionary, jsonValue, oneof, record, string } from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FlagsApp, makeFlag, makeGroup, startFlagsApp } from '../testing/flags-app.js';

let world: FlagsApp;
const KEYS = ['all', 'half', 'team', 'company', 'steady', 'device', '__proto__', 'constructor'];

beforeAll(async () => {
  world = await startFlagsApp();
  await makeGroup(world, [0, 'company', 'acme'], { plan: 'team' });
  await makeGroup(world, [1, '__proto__', 'acme'], { plan: 'team' });
  const property = { key: 'plan', value: 'team', operator: 'icontains', type: 'person' };
  await makeFlag(world, { key: 'all', filters: { groups: [{}], payloads: { true: '1' } } });
  await makeFlag(world, { key: 'half', filters: { groups: [{ rollout_percentage: 50 }] } });
  await makeFlag(world, { key: 'team', filters: { groups: [{ properties: [property] }] } });
  await makeFlag(world, {
    key: 'company',
    filters: { aggregation_group_type_index: 0, groups: [{ properties: [{ ...property, type: 'group', group_type_index: 0 }] }] },
  });
  await makeFlag(world, { key: 'steady', ensure_experience_continuity: true });
  await makeFlag(world, { key: 'device', bucketing_identifier: 'device_id' });
  await makeFlag(world, { key: '__proto__', filters: { groups: [{ properties: [{ ...property, key: '__proto__' }] }] } });
  await makeFlag(world, {
    key: 'constructor',
    filters: { groups: [{ properties: [{ ...property, key: 'constructor', operator: 'is_set' }] }] },
  });
});
afterAll(() => world.close());

const value = oneof(jsonValue(), string(), constantFrom('acme', '__proto__', 'a\0b', '\ud800', -1, 1e300, true, null));
const groups = oneof(value, dictionary(constantFrom('company', '__proto__', 'x\0'), value));
const properties = oneof(value, dictionary(constantFrom('plan', '__proto__', 'constructor'), value));
const question = record(
  {
    distinct_id: oneof(string({ unit: 'binary' }), value),
    $anon_distinct_id: value,
    $device_id: value,
    groups,
    person_properties: properties,
    group_properties: oneof(value, dictionary(constantFrom('company', '__proto__'), properties)),
    flag_keys: oneof(value, constantFrom(KEYS, [])),
    evaluation_contexts: value,
    evaluation_runtime: value,
    disable_flags: value,
    geoip_disable: value,
    timezone: value,
  },
  { requiredKeys: [] },
);
const url = constantFrom('/flags/?v=2', '/flags/?v=1', '/flags', '/decide/?v=1', '/decide/?v=2', '/decide/?v=3', '/decide/?v=4');

test('every request is answered or rejected as malformed, and no response has an unknown flag', async () => {
  await assert(
    asyncProperty(url, question, async (path, fields) => {
      const response = await world.post(path, { token: world.token, ...fields });
      expect([200, 400]).toContain(response.statusCode);
      if (response.statusCode !== 200) return;
      const body = response.json();
      expect(body.errorsWhileComputingFlags).toBe(false);
      const evaluated = body.flags ?? body.featureFlags;
      for (const key of Array.isArray(evaluated) ? evaluated : Object.keys(evaluated)) expect(KEYS).toContain(key);
    }),
    { numRuns: 400 },
  );
});

test('a malformed stored flag does not affect others', async () => {
  const { db } = world.deps;
  const odd = await makeFlag(world, { key: 'odd' });
  await assert(
    asyncProperty(
      oneof(
        jsonValue(),
        anything().map((any) => JSON.parse(JSON.stringify(any) ?? 'null')),
      ),
      constantFrom('groups', 'multivariate', 'payloads', null),
      async (shape, at) => {
        const filters = JSON.stringify(at === null ? shape : { groups: [{}], [at]: shape }).replaceAll('\\u0000', '');
        if (/\\ud[89a-f]/i.test(filters)) return;
        await db
          .updateTable('feature_flags')
          .set({ filters, version: (w) => w('version', '+', 1) })
          .where('id', '=', odd)
          .execute();
        const { version } = await db
          .selectFrom('feature_flags')
          .select('version')
          .where('id', '=', odd)
          .executeTakeFirstOrThrow();
        const flags = async () => (await world.post('/flags/?v=2', { token: world.token, distinct_id: 'x' })).json().flags;
        await expect.poll(async () => (await flags()).odd.metadata.version, { interval: 5 }).toBe(version);
        expect((await flags()).all).toMatchObject({ enabled: true });
        const feed = await world.get(`/flags/definitions?token=${world.token}`, { authorization: `Bearer ${world.personalKey}` });
        expect(feed.statusCode).toBe(200);
      },
    ),
    { numRuns: 60 },
  );
});
