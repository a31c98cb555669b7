import { isRecord } from '@tidemark/client';
import { describe, expect, test } from 'vitest';
import type { NodeOptions } from '../node-options.js';
import { fakeNode } from '../testing/fake-node.js';
import { flagsAnswer, startClient } from '../testing/start-client.js';

/** A client whose service answers with these flags. */
function withFlags(values: Record<string, boolean | string>, more: object = {}, options: Partial<NodeOptions> = {}) {
  const node = fakeNode();
  node.answer('/flags/', flagsAnswer(values, { ...more }));
  const started = startClient(options, node);
  const calls = async () => (await started.flushed()).filter(({ event }) => event === '$feature_flag_called');
  return { ...started, calls, flagRequests: () => node.requestsTo('/flags/').map(({ body }) => (isRecord(body) ? body : {})) };
}

describe('values', () => {
  test('FLG-24 nothing throws or rejects, for any response', async () => {
    for (const answer of ['fail', { status: 500 }, { body: 'x' }, { body: [] }, { body: { flags: { a: 5 } } }] as const) {
      const node = fakeNode();
      node.answer('/flags/', answer);
      const { client } = startClient({ featureFlagRequestMaxRetries: 0 }, node);
      expect(await client.isFeatureEnabled('a', 'user-123', { defaultValue: true })).toBe(true);
      expect(await client.getFeatureFlags('user-123')).toEqual({});
    }
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const { client } = withFlags({ a: true });
    expect(await client.getFeatureFlag('a', 'user-123', { personProperties: cycle })).toBeUndefined();
  });

  test('overrides win over all other values until they are removed', async () => {
    const { client } = withFlags({ 'beta-ui': false, checkout: 'blue' });
    client.featureFlags.override({ 'beta-ui': 'new', own: true }, { 'beta-ui': { a: 1 } });
    expect(await client.getFeatureFlags('user-123')).toEqual({ 'beta-ui': 'new', own: true, checkout: 'blue' });
    expect(await client.getFeatureFlagPayload('beta-ui', 'user-123')).toEqual({ a: 1 });
    client.featureFlags.override(['beta-ui']);
    expect(await client.getFeatureFlags('user-123')).toEqual({ 'beta-ui': true, checkout: 'blue' });
    client.featureFlags.override(false);
    expect(await client.getFeatureFlag('beta-ui', 'user-123')).toBe(false);
  });
});

describe('requests to the service', () => {
  test('a request has the person, the key, the groups, the properties and the device', async () => {
    const { client, flagRequests, node } = withFlags({ a: true }, {}, { evaluationContexts: ['shop'] });
    await client.getFeatureFlag('a', 'user-123', {
      groups: { company: 7, team: '' },
      personProperties: { plan: 'pro' },
      groupProperties: { company: { size: 'big' } },
      deviceId: 'device-1',
    });
    expect(flagRequests()).toEqual([
      {
        token: 'tmk_0123456789abcdef',
        distinct_id: 'user-123',
        groups: { company: '7' },
        person_properties: { plan: 'pro' },
        group_properties: { company: { size: 'big' } },
        $device_id: 'device-1',
        geoip_disable: true,
        evaluation_contexts: ['shop'],
        flag_keys: ['a'],
      },
    ]);
    expect(node.requests[0]?.url).toBe('http://tidemark/flags/?v=2');
  });

  test('geoip lookup follows the option, and the argument of the call overrides it', async () => {
    const { client, flagRequests } = withFlags({ a: true }, {}, { disableGeoip: false });
    await client.getFeatureFlag('a', 'user-123');
    await client.getFeatureFlag('a', 'user-123', { disableGeoip: true });
    expect(flagRequests().map(({ geoip_disable }) => geoip_disable)).toEqual([false, true]);
  });

  test.each([
    ['values', { a: true, b: 'blue', c: false }],
    ['the keys that are on', ['a', 'b']],
  ])('responses of version 1 are parsed: %s', async (_, featureFlags) => {
    const node = fakeNode();
    node.answer('/flags/', { body: { featureFlags, featureFlagPayloads: { a: '{"n":1}', b: 'no JSON' } } });
    const { client } = startClient({}, node);
    const isList = Array.isArray(featureFlags);
    expect(await client.getFeatureFlagsAndPayloads('user-123')).toEqual({
      featureFlags: isList ? { a: true, b: true } : featureFlags,
      featureFlagPayloads: { a: { n: 1 } },
    });
  });

  test('FLG-17 FLG-18 FLG-21 person properties for flags are stored, merged under those of the call, and removed', async () => {
    const { client, flagRequests, node } = withFlags({ a: true });
    client.setPersonPropertiesForFlags({ plan: 'free', region: 'eu' });
    client.setPersonPropertiesForFlags({ plan: 'pro' });
    await client.getFeatureFlag('a', 'user-123');
    await client.getFeatureFlag('a', 'user-123', { personProperties: { region: 'us' } });
    client.resetPersonPropertiesForFlags();
    await client.getFeatureFlag('a', 'user-123');
    expect(flagRequests().map((body) => body['person_properties'])).toEqual([
      { plan: 'pro', region: 'eu' },
      { plan: 'pro', region: 'us' },
      {},
    ]);
    expect(node.requestsTo('/batch/')).toEqual([]);
  });

  test('FLG-19 FLG-20 group properties for flags are stored by type, and removed for one type or all', async () => {
    const { client, flagRequests } = withFlags({ a: true });
    client.setGroupPropertiesForFlags({ company: { plan: 'pro' }, team: { size: 3 } });
    client.setGroupPropertiesForFlags({ company: { size: 'big' } });
    await client.getFeatureFlag('a', 'user-123');
    client.resetGroupPropertiesForFlags('company');
    await client.getFeatureFlag('a', 'user-123');
    client.resetGroupPropertiesForFlags();
    await client.getFeatureFlag('a', 'user-123');
    expect(flagRequests().map((body) => body['group_properties'])).toEqual([
      { company: { plan: 'pro', size: 'big' }, team: { size: 3 } },
      { team: { size: 3 } },
      {},
    ]);
  });

  test.each([503, 408, 429, 500])('HTP-4 %i is not tried again, and the last response is used', async (status) => {
    const node = fakeNode();
    node.answer('/flags/', flagsAnswer({ a: true, b: 'x' }), { status });
    const { client } = startClient({}, node);
    expect(await client.getFeatureFlags('user-123')).toEqual({ a: true, b: 'x' });
    expect(await client.getFeatureFlag('b', 'user-123')).toBe('x');
    expect(await client.getFeatureFlag('b', 'another')).toBeUndefined();
    expect(node.requestsTo('/flags/')).toHaveLength(3);
    client.reset();
    expect(await client.getFeatureFlag('b', 'user-123')).toBeUndefined();
  });

  test('HTP-7 each attempt times out after 3 seconds', async () => {
    const node = fakeNode();
    node.answer('/flags/', 'hang');
    const read = startClient({}, node).client.getFeatureFlag('a', 'user-123', { defaultValue: true });
    await node.advance(6_299);
    expect(node.requestsTo('/flags/').map(({ at }) => at - Date.UTC(2025, 0, 1))).toEqual([0, 3_300]);
    await node.advance(1);
    expect(await read).toBe(true);
  });

  test('FLG-23 a flag that could not be computed has its last value, and a quota error is marked', async () => {
    const node = fakeNode();
    const partly = flagsAnswer({ a: false }, { errorsWhileComputingFlags: true });
    const over = flagsAnswer({}, { quotaLimited: ['feature_flags'] });
    node.answer('/flags/', flagsAnswer({ a: true, b: true }), partly, over);
    const { client, flushed } = startClient({}, node);
    await client.getFeatureFlags('user-123');
    expect(await client.getFeatureFlags('user-123')).toEqual({ a: false, b: true });
    expect(await client.getFeatureFlag('a', 'user-123')).toBe(false);
    expect(await flushed()).toMatchObject([{ properties: { $feature_flag_error: 'quota_limited' } }]);
  });
});

describe('$feature_flag_called', () => {
  test('FLC-1 the first read is reported, the same value not again, and another value is', async () => {
    const node = fakeNode();
    node.answer('/flags/', flagsAnswer({ 'beta-ui': true }), flagsAnswer({ 'beta-ui': true }), flagsAnswer({ 'beta-ui': false }));
    const { client, flushed } = startClient({}, node);
    await client.isFeatureEnabled('beta-ui', 'user-123');
    await client.getFeatureFlag('beta-ui', 'user-123');
    const [first, ...none] = await flushed();
    expect(none).toEqual([]);
    expect(first).toMatchObject({
      event: '$feature_flag_called',
      distinct_id: 'user-123',
      properties: {
        $feature_flag: 'beta-ui',
        $feature_flag_response: true,
        '$feature/beta-ui': true,
        $feature_flag_id: 1,
        $feature_flag_version: 3,
        $feature_flag_reason: 'Matched condition set 1',
        $feature_flag_request_id: 'request-1',
        $feature_flag_evaluated_at: 1_735_689_600_000,
        locally_evaluated: false,
        $lib: 'tidemark-test',
      },
    });
    await client.getFeatureFlag('beta-ui', 'user-123');
    expect((await flushed()).map(({ properties }) => properties['$feature_flag_response'])).toEqual([true, false]);
  });

  test('FLC-2 FLC-4 the same groups in another order are not reported again; other groups and persons are', async () => {
    const { client, calls } = withFlags({ a: true });
    for (const groups of [
      { company: 'company-123', team: 't' },
      { team: 't', company: 'company-123' },
      { company: 'company-456' },
    ]) {
      await client.getFeatureFlag('a', 'user-123', { groups });
    }
    await client.getFeatureFlag('a', 'user-456');
    expect((await calls()).map(({ distinct_id, properties }) => [distinct_id, properties['$groups']])).toEqual([
      ['user-123', { company: 'company-123', team: 't' }],
      ['user-123', { company: 'company-456' }],
      ['user-456', undefined],
    ]);
  });

  test('FLC-3 shutdown and reset clear the memory of reports', async () => {
    const { client, calls } = withFlags({ a: true });
    await client.getFeatureFlag('a', 'user-123');
    client.reset();
    await client.getFeatureFlag('a', 'user-123');
    expect(await calls()).toHaveLength(2);
    await client.shutdown();
  });

  test('FLC-4 a full memory of reports forgets only the oldest', async () => {
    const { client, calls } = withFlags({ a: true }, {}, { maxFlagCallsRemembered: 2 });
    for (const user of ['one', 'two', 'three', 'two', 'three', 'one']) await client.getFeatureFlag('a', user);
    expect((await calls()).map(({ distinct_id }) => distinct_id)).toEqual(['one', 'two', 'three', 'one']);
  });

  test('a missing flag and a failing service are in the report', async () => {
    const { client, calls } = withFlags({});
    await client.getFeatureFlag('missing', 'user-123');
    expect(await calls()).toMatchObject([{ properties: { $feature_flag_error: 'flag_missing' } }]);
    const node = fakeNode();
    node.answer('/flags/', { status: 503 });
    const failing = startClient({}, node);
    await failing.client.getFeatureFlag('a', 'user-123');
    expect(await failing.flushed()).toMatchObject([{ properties: { $feature_flag_error: 'api_error_503,flag_missing' } }]);
  });

  const detail = (experiment?: boolean) => ({
    body: {
      flags: {
        a: {
          key: 'a',
          enabled: true,
          variant: null,
          reason: { code: 'x', description: 'x' },
          metadata: { id: 1, version: 2, payload: null, ...(experiment === undefined ? {} : { has_experiment: experiment }) },
        },
      },
      errorsWhileComputingFlags: false,
      requestId: 'r',
      evaluatedAt: 1,
    },
  });
  test.each([
    [true, false, true],
    [true, true, false],
    [true, undefined, false],
    [undefined, false, false],
  ])('FLC-6 FLC-7 with the gate %j and an experiment %j the short form is %j', async (gate, experiment, short) => {
    const node = fakeNode();
    const answer = detail(experiment);
    node.answer('/flags/', { body: { ...answer.body, ...(gate ? { minimalFlagCalledEvents: true } : {}) } });
    const { client, flushed } = startClient({ properties: { service: 'shop' } }, node);
    await client.withContext({ sessionId: 's-1' }, () => client.getFeatureFlag('a', 'user-123', { groups: { company: 'acme' } }));
    const [{ properties } = { properties: {} }] = await flushed();
    expect(properties).toMatchObject({
      $feature_flag: 'a',
      $feature_flag_response: true,
      $feature_flag_id: 1,
      $feature_flag_version: 2,
      $feature_flag_request_id: 'r',
      $feature_flag_evaluated_at: 1,
      locally_evaluated: false,
      $groups: { company: 'acme' },
      $session_id: 's-1',
      $lib: 'tidemark-test',
      $lib_version: '1.0.0',
      $is_server: true,
    });
    expect('service' in properties).toBe(!short);
    expect('$feature/a' in properties).toBe(!short);
  });
});
