import { describe, expect, test } from 'vitest';
import { loadDefinitions, readDefinitions } from '../definitions/flag-definitions.js';
import { fakeNode } from '../testing/fake-node.js';
import { flagsAnswer, startClient } from '../testing/start-client.js';
import type { FlagSubject } from './flag-subject.js';
import { evaluateLocally } from './local-flags.js';
import { searchPortably } from './portable-regex.js';

type Condition = Record<string, unknown>;
const flag = (key: string, groups: Condition[] = [{}], more: object = {}, filters: object = {}) => ({
  id: 1,
  key,
  active: true,
  filters: { groups, ...filters },
  ...more,
});
const property = (key: string, operator: string, value: unknown, type = 'person') => ({
  properties: [{ key, operator, value, type }],
});

function evaluate(flags: object[], subject: Partial<FlagSubject> = {}, only?: string[], mapping: object = { 0: 'company' }) {
  const definitions = readDefinitions({ flags, group_type_mapping: mapping, cohorts: {} });
  if (!definitions) throw new Error('no definitions');
  const whole = { distinctId: 'user-123', groups: {}, personProperties: {}, groupProperties: {}, ...subject };
  const found = evaluateLocally(loadDefinitions(definitions), whole, { now: 0 }, only && new Set(only));
  return { ...Object.fromEntries([...found.flags].map(([key, { value }]) => [key, value])), unresolved: found.unresolved };
}

test('LEV-1 an active flag is true, a multivariate one its variant, each with its payload', () => {
  const variants = { multivariate: { variants: [{ key: 'blue', rollout_percentage: 100 }] }, payloads: { blue: '{"cta":1}' } };
  const definitions = loadDefinitions({
    flags: [
      flag('beta-ui', [{}], { version: 4, has_experiment: true }, { payloads: { true: '[1]' } }),
      flag('checkout', [{}], {}, variants),
    ],
    groupTypeMapping: {},
    cohorts: {},
  });
  const subject = { distinctId: 'user-123', groups: {}, personProperties: {}, groupProperties: {} };
  expect([...evaluateLocally(definitions, subject, { now: 0 }).flags]).toEqual([
    ['beta-ui', { value: true, payload: [1], reason: 'condition_match', id: 1, version: 4, hasExperiment: true, local: true }],
    ['checkout', { value: 'blue', payload: { cta: 1 }, reason: 'condition_match', id: 1, local: true }],
  ]);
});

test('LEV-3 an inactive flag is off, groups count by key and properties, devices by id', () => {
  const away = flag('away', [property('plan', 'exact', 'pro')], { active: false });
  expect(evaluate([away], {}, ['away'])).toEqual({ away: false, unresolved: [] });
  const big = flag(
    'big',
    [{ properties: [{ key: 'size', operator: 'exact', value: 'big', type: 'group', group_type_index: 0 }] }],
    {},
    {
      aggregation_group_type_index: 0,
    },
  );
  const groups = { company: 'acme' };
  expect(evaluate([big], { groups, groupProperties: { company: { size: 'big' } } })).toMatchObject({ big: true });
  expect(evaluate([big], { groups, groupProperties: { company: { size: 'small' } } })).toMatchObject({ big: false });
  expect(evaluate([big], { groups })).toEqual({ unresolved: ['big'] });
  const device = flag('device', [{ rollout_percentage: 50 }], { bucketing_identifier: 'device_id' });
  const values = Array.from({ length: 20 }, (_, i) => evaluate([device], { deviceId: `device-${i}` })).map((one) =>
    JSON.stringify(one),
  );
  expect(new Set(values).size).toBe(2);
});

test.each([
  ['starts_with', 'ADMIN@', true],
  ['ends_with', '@example.COM', true],
  ['not_starts_with', 'x', true],
  ['not_ends_with', 'com', false],
])('LEV-4 %s %s is %j, and undecidable without the property', (operator, value, expected) => {
  const one = flag('one', [property('email', operator, value)]);
  expect(evaluate([one], { personProperties: { email: 'Admin@Example.com' } })).toEqual({ one: expected, unresolved: [] });
  expect(evaluate([one])).toEqual({ unresolved: ['one'] });
});

test('LEV-5 undecidable flags are left to the service, and the others are evaluated locally', () => {
  const flags = [
    flag('plain'),
    flag('continuity', [{}], { ensure_experience_continuity: true }),
    flag('on-continuity', [
      {
        properties: [
          { key: 'continuity', type: 'flag', operator: 'flag_evaluates_to', value: true, dependency_chain: ['continuity'] },
        ],
      },
    ]),
    flag('halved', [{ rollout_percentage: 50 }], { ensure_experience_continuity: true }),
    flag('on-halved', [
      { properties: [{ key: 'halved', type: 'flag', operator: 'flag_evaluates_to', value: true, dependency_chain: ['halved'] }] },
    ]),
    flag('cohort', [{ properties: [{ key: 'id', type: 'cohort', operator: 'in', value: 7 }] }]),
    flag('for-pages', [{}], { evaluation_runtime: 'client' }),
  ];
  const evaluated = evaluate(flags);
  expect(evaluated).toMatchObject({ plain: true });
  expect(evaluated.unresolved).toEqual(expect.arrayContaining(['continuity', 'halved', 'on-halved', 'cohort']));
  expect(evaluated).not.toHaveProperty('for-pages');
});

describe('flags that would differ on the service are not evaluated locally', () => {
  const definitionsOf = (flags: object[], more: object = {}) => {
    const definitions = readDefinitions({ flags, group_type_mapping: {}, cohorts: {}, ...more });
    if (!definitions) throw new Error('no definitions');
    return loadDefinitions(definitions);
  };
  const ask = (definitions: ReturnType<typeof loadDefinitions>, personProperties: object, contexts?: string[]) => {
    const subject = { distinctId: 'user-123', groups: {}, personProperties: { ...personProperties }, groupProperties: {} };
    const found = evaluateLocally(definitions, subject, { now: 0 }, undefined, contexts);
    return { ...Object.fromEntries([...found.flags].map(([key, { value }]) => [key, value])), unresolved: found.unresolved };
  };

  test('patterns and texts that engines read in different ways', () => {
    const search = (operator: string, pattern: unknown, email: string) =>
      ask(definitionsOf([flag('one', [property('email', operator, pattern)])]), { email });
    expect(search('regex', '^[a-z]+@example\\.com$', 'ada@example.com')).toEqual({ one: true, unresolved: [] });
    expect(search('not_regex', '@example\\.com$', 'ada@example.org')).toEqual({ one: true, unresolved: [] });
    for (const pattern of ['(?i)ADA', '\\pL', '\\Aada', 'com\\z', '[[:alpha:]]', '(?=a)', '(a)\\1', 'a{', 'é', '[]a]', '\\']) {
      for (const operator of ['regex', 'not_regex']) expect(search(operator, pattern, 'ada')).toEqual({ unresolved: ['one'] });
    }
    for (const text of ['😀', 'é', 'a\rb', '\u00a0', 'x'.repeat(4001)]) {
      expect(search('regex', '^.$', text)).toEqual({ unresolved: ['one'] });
    }
    expect(() => searchPortably('x'.repeat(1001), 'x')).toThrow();
  });

  test('a flag that depends on an undecidable one', () => {
    const dependent = {
      properties: [{ key: 'value', type: 'flag', operator: 'flag_evaluates_to', value: true, dependency_chain: ['value'] }],
    };
    expect(ask(definitionsOf([flag('on-value', [dependent])]), {})).toEqual({ unresolved: ['on-value'] });
  });

  test('an $initial_ property, if only the current one is given', () => {
    const first = definitionsOf([flag('one', [property('$initial_utm_source', 'exact', 'a')])]);
    expect(ask(first, { utm_source: 'a' })).toEqual({ unresolved: ['one'] });
    expect(ask(first, { $initial_utm_source: 'a' })).toEqual({ one: true, unresolved: [] });
  });

  test('flags of other evaluation contexts are absent, and count for flags that depend on them', () => {
    const onDocs = {
      properties: [{ key: 'docs', type: 'flag', operator: 'flag_evaluates_to', value: true, dependency_chain: ['docs'] }],
    };
    const definitions = definitionsOf([
      flag('docs', [{}], { evaluation_contexts: ['docs'] }),
      flag('shop', [{}], { evaluation_contexts: ['docs', 'shop'] }),
      flag('all', [onDocs], { evaluation_contexts: [] }),
    ]);
    expect(ask(definitions, {}, ['shop'])).toEqual({ shop: true, all: true, unresolved: [] });
    expect(ask(definitions, {}, [])).toEqual({ all: true, unresolved: [] });
    expect(ask(definitions, {})).toEqual({ docs: true, shop: true, all: true, unresolved: [] });
  });

  test('properties have their JSON form, and those without one are unknown', () => {
    const is = (operator: string, value: unknown, seen: unknown) =>
      ask(definitionsOf([flag('one', [property('seen', operator, value)])]), { seen });
    const date = new Date('2026-03-15T02:00:00Z');
    expect(is('is_date_after', '2026-03-15', date)).toEqual({ one: true, unresolved: [] });
    expect(is('exact', '2026-03-15T02:00:00.000Z', date)).toEqual({ one: true, unresolved: [] });
    expect(is('icontains', '2026', [date])).toEqual({ one: true, unresolved: [] });
    expect(is('exact', 'null', Number.NaN)).toEqual({ one: true, unresolved: [] });
    const circle: unknown[] = [];
    circle.push(circle);
    for (const none of [undefined, 5n, circle, () => 1]) expect(is('is_set', '', none)).toEqual({ unresolved: ['one'] });
    const grouped = flag(
      'two',
      [property('since', 'is_date_before', '2026-04-01', 'group')],
      {},
      { aggregation_group_type_index: 0 },
    );
    expect(evaluate([grouped], { groups: { company: 'a' }, groupProperties: { company: { since: date } } })).toMatchObject({
      two: true,
    });
  });

  test('days are those of the time zone of the project', () => {
    const flags = [flag('one', [property('seen', 'is_date_exact', '2026-03-15')])];
    const seen = '2026-03-15T02:00:00Z';
    expect(ask(definitionsOf(flags), { seen })).toMatchObject({ one: true });
    expect(ask(definitionsOf(flags, { timezone: 'America/New_York' }), { seen })).toMatchObject({ one: false });
  });
});

test('LEV-6 percentages may be fractions: 0.1 percent of many is few, 0 is none, and absent is all', () => {
  const count = (rollout?: number) => {
    const one = flag('one', [rollout === undefined ? {} : { rollout_percentage: rollout }]);
    const definitions = loadDefinitions({ flags: [one], groupTypeMapping: {}, cohorts: {} });
    let on = 0;
    for (let i = 0; i < 20_000; i++) {
      const subject = { distinctId: `user-${i}`, groups: {}, personProperties: {}, groupProperties: {} };
      if (evaluateLocally(definitions, subject, { now: 0 }).flags.get('one')?.value) on++;
    }
    return on;
  };
  expect(count()).toBe(20_000);
  expect(count(100)).toBe(20_000);
  expect(count(0)).toBe(0);
  expect(count(0.1)).toBeGreaterThan(5);
  expect(count(0.1)).toBeLessThan(45);
});

describe('through the client', () => {
  function start(flags: object[], answers: Record<string, boolean | string>) {
    const node = fakeNode();
    node.answer('/flags/definitions', { body: { flags, group_type_mapping: { 0: 'company' }, cohorts: {} } });
    node.answer('/flags/', flagsAnswer(answers));
    const started = startClient({ personalApiKey: 'tms_1' }, node);
    return { ...started, flagRequests: () => node.requestsTo('/flags/').filter(({ path }) => path === '/flags/') };
  }

  test('FLG-6 LEV-1 a flag for everybody is evaluated locally, without a request, and reported as such', async () => {
    const { client, flagRequests, flushed } = start([flag('beta-ui')], {});
    expect(await client.whenFlagsReady()).toBe(true);
    expect(await client.getFeatureFlag('beta-ui', 'user-123')).toBe(true);
    expect(flagRequests()).toEqual([]);
    expect(await flushed()).toMatchObject([{ properties: { locally_evaluated: true, $feature_flag_reason: 'condition_match' } }]);
  });

  test('FLG-11 all flags of an id are evaluated locally', async () => {
    const { client, flagRequests } = start([flag('beta-ui'), flag('off', [])], {});
    await client.whenFlagsReady();
    expect(await client.getFeatureFlags('user-123')).toEqual({ 'beta-ui': true, off: false });
    expect(flagRequests()).toEqual([]);
  });

  test('LEV-2 a flag of groups without the group is requested alone, and is off among all flags', async () => {
    const { client, flagRequests } = start([flag('big', [{}], {}, { aggregation_group_type_index: 0 })], { big: true });
    await client.whenFlagsReady();
    expect(await client.getFeatureFlag('big', 'user-123', { groups: { company: 'acme' } })).toBe(true);
    expect(flagRequests()).toEqual([]);
    expect(await client.getFeatureFlag('big', 'user-123')).toBe(true);
    expect(flagRequests().map(({ body }) => body)).toMatchObject([{ flag_keys: ['big'] }]);
    expect(await client.getFeatureFlags('user-123')).toEqual({ big: false });
    expect(flagRequests()).toHaveLength(1);
  });

  test('getFeatureFlags requests only the flags that cannot be evaluated locally', async () => {
    const { client, flagRequests } = start([flag('beta-ui'), flag('pro', [property('plan', 'exact', 'pro')])], { pro: true });
    await client.whenFlagsReady();
    expect(await client.getFeatureFlags('user-123')).toEqual({ 'beta-ui': true, pro: true });
    expect(flagRequests().map(({ body }) => body)).toMatchObject([{ flag_keys: ['pro'] }]);
    expect(await client.getFeatureFlags('user-123', { personProperties: { plan: 'free' } })).toEqual({
      'beta-ui': true,
      pro: false,
    });
    expect(flagRequests()).toHaveLength(1);
  });

  test('without definitions every read is a request', async () => {
    const { client, node, flagRequests } = start([], { 'beta-ui': true });
    node.answer('/flags/definitions', { status: 503 });
    // the more particular path has to come first
    node.answer('/flags/', flagsAnswer({ 'beta-ui': true }));
    const other = startClient({ personalApiKey: 'tms_1' }, node);
    expect(await other.client.whenFlagsReady()).toBe(false);
    expect(await other.client.getFeatureFlag('beta-ui', 'user-123')).toBe(true);
    expect(flagRequests()).toHaveLength(1);
    await client.shutdown();
  });
});
