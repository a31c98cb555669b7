import { describe, expect, test } from 'vitest';
import { loadDefinitions, readDefinitions } from '../definitions/flag-definitions.js';
import { fakeNode } from '../testing/fake-node.js';
import { flagsAnswer, startClient } from '../testing/start-client.js';
import type { FlagSubject } from './flag-subject.js';
import { evaluateLocally } from './local-flags.js';

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

test('LEV-3 an inactive flag is off, groups count by their key and properties, devices by their id', () => {
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
])('LEV-4 %s %s is %j, and unknown without the property', (operator, value, expected) => {
  const one = flag('one', [property('email', operator, value)]);
  expect(evaluate([one], { personProperties: { email: 'Admin@Example.com' } })).toEqual({ one: expected, unresolved: [] });
  expect(evaluate([one])).toEqual({ unresolved: ['one'] });
});

test('LEV-5 what cannot be told here is left to the service, and the others are told', () => {
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
  const told = evaluate(flags);
  expect(told).toMatchObject({ plain: true });
  expect(told.unresolved).toEqual(expect.arrayContaining(['continuity', 'halved', 'on-halved', 'cohort']));
  expect(told).not.toHaveProperty('for-pages');
});

test('LEV-6 shares are fractions: 0.1 percent of many is few, none is nobody, and absent is everybody', () => {
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
    return { ...started, asked: () => node.requestsTo('/flags/').filter(({ path }) => path === '/flags/') };
  }

  test('FLG-6 LEV-1 a flag of all is told here, without a request, and reported as such', async () => {
    const { client, asked, flushed } = start([flag('beta-ui')], {});
    expect(await client.whenFlagsReady()).toBe(true);
    expect(await client.getFeatureFlag('beta-ui', 'user-123')).toBe(true);
    expect(asked()).toEqual([]);
    expect(await flushed()).toMatchObject([{ properties: { locally_evaluated: true, $feature_flag_reason: 'condition_match' } }]);
  });

  test('FLG-11 all flags of an id are told here', async () => {
    const { client, asked } = start([flag('beta-ui'), flag('off', [])], {});
    await client.whenFlagsReady();
    expect(await client.getFeatureFlags('user-123')).toEqual({ 'beta-ui': true, off: false });
    expect(asked()).toEqual([]);
  });

  test('LEV-2 a flag of groups without the group is asked for; among all flags it is one that is off', async () => {
    const { client, asked } = start([flag('big', [{}], {}, { aggregation_group_type_index: 0 })], { big: true });
    await client.whenFlagsReady();
    expect(await client.getFeatureFlag('big', 'user-123', { groups: { company: 'acme' } })).toBe(true);
    expect(asked()).toEqual([]);
    expect(await client.getFeatureFlag('big', 'user-123')).toBe(true);
    expect(asked().map(({ body }) => body)).toMatchObject([{ flag_keys: ['big'] }]);
    expect(await client.getFeatureFlags('user-123')).toEqual({ big: false });
    expect(asked()).toHaveLength(1);
  });

  test('of all flags only those are asked for that cannot be told here', async () => {
    const { client, asked } = start([flag('beta-ui'), flag('pro', [property('plan', 'exact', 'pro')])], { pro: true });
    await client.whenFlagsReady();
    expect(await client.getFeatureFlags('user-123')).toEqual({ 'beta-ui': true, pro: true });
    expect(asked().map(({ body }) => body)).toMatchObject([{ flag_keys: ['pro'] }]);
    expect(await client.getFeatureFlags('user-123', { personProperties: { plan: 'free' } })).toEqual({
      'beta-ui': true,
      pro: false,
    });
    expect(asked()).toHaveLength(1);
  });

  test('without definitions every question goes to the service', async () => {
    const { client, node, asked } = start([], { 'beta-ui': true });
    node.answer('/flags/definitions', { status: 503 });
    // the more particular path has to come first
    node.answer('/flags/', flagsAnswer({ 'beta-ui': true }));
    const other = startClient({ personalApiKey: 'tms_1' }, node);
    expect(await other.client.whenFlagsReady()).toBe(false);
    expect(await other.client.getFeatureFlag('beta-ui', 'user-123')).toBe(true);
    expect(asked()).toHaveLength(1);
    await client.shutdown();
  });
});
