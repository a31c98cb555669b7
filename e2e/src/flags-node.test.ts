import { type Service, startService } from '@tidemark/testkit';
import { PostHog, type PostHogOptions } from 'posthog-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareImportAfterAll } from './testing/compare-import.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
  const { body: events } = await service.call('POST', '/batch/', {
    key: null,
    body: {
      api_key: service.account.projectKey,
      batch: [
        { event: '$identify', distinct_id: 'ann', properties: { $set: { plan: 'team', age: 41 } } },
        {
          event: '$groupidentify',
          distinct_id: 'ann',
          properties: { $group_type: 'company', $group_key: 'acme', $group_set: { size: 'big' } },
        },
      ],
    },
  });
  expect(events).toEqual({ status: 'Ok' });
  await makeFlag('half', { groups: [{ properties: [], rollout_percentage: 50 }] });
  await makeFlag('team', {
    groups: [{ properties: [person('plan', 'exact', ['team'])], rollout_percentage: 100 }],
    payloads: { true: '{"seats":5}' },
  });
  await makeFlag('colors', {
    groups: [{ properties: [person('age', 'gt', '18')], rollout_percentage: 90 }],
    multivariate: {
      variants: [
        { key: 'red', name: '', rollout_percentage: 30 },
        { key: 'blue', name: '', rollout_percentage: 70 },
      ],
    },
    payloads: { red: '"rose"', blue: '"sky"' },
  });
  await makeFlag('big-company', {
    aggregation_group_type_index: 0,
    groups: [
      {
        properties: [{ key: 'size', operator: 'exact', value: ['big'], type: 'group', group_type_index: 0 }],
        rollout_percentage: 100,
      },
    ],
  });
  const base = await makeFlag('base', {
    groups: [{ properties: [person('email', 'icontains', '@example.com')], rollout_percentage: 60 }],
  });
  await makeFlag('on-base', {
    groups: [
      { properties: [{ key: String(base), type: 'flag', operator: 'flag_evaluates_to', value: true }], rollout_percentage: 80 },
    ],
  });
  await makeFlag('away', { groups: [] }, { active: false });
});
afterAll(() => service?.close());
compareImportAfterAll(() => service);

const person = (key: string, operator: string, value: unknown) => ({ key, operator, value, type: 'person' });

async function makeFlag(key: string, filters: object, more: object = {}): Promise<number> {
  const { status, body } = await service.post('/api/projects/@current/feature_flags/', { key, name: key, filters, ...more });
  expect([status, body]).toMatchObject([201, { key }]);
  return (body as { id: number }).id;
}

interface Answered {
  path: string;
  status: number;
}

function connect(options: PostHogOptions = {}) {
  const answers: Answered[] = [];
  const client = new PostHog(service.account.projectKey, {
    host: service.url,
    fetch: async (url, request) => {
      const response = await fetch(url, request as RequestInit);
      answers.push({ path: new URL(url).pathname, status: response.status });
      return response;
    },
    ...options,
  });
  return { client, answers };
}

test('remote evaluation by posthog-node 5.70.0: values, payloads, groups, and one flag by its key', async () => {
  const { client, answers } = connect();
  const flags = await client.getAllFlagsAndPayloads('ann', { groups: { company: 'acme' } });
  expect(Object.keys(flags.featureFlags ?? {}).sort()).toEqual(['base', 'big-company', 'colors', 'half', 'on-base', 'team']);
  expect(flags.featureFlags).toMatchObject({ team: true, 'big-company': true, base: false, 'on-base': false });
  expect(flags.featureFlagPayloads).toMatchObject({ team: { seats: 5 } });
  expect(await client.getFeatureFlag('team', 'ann')).toBe(true);
  expect(await client.getFeatureFlag('team', 'bob')).toBe(false);
  expect(await client.isFeatureEnabled('team', 'bob', { personProperties: { plan: 'team' } })).toBe(true);
  expect(await client.getFeatureFlag('away', 'ann')).toBeFalsy();
  expect(await client.getFeatureFlagPayload('team', 'ann')).toEqual({ seats: 5 });
  await client.shutdown();
  expect(new Set(answers.map(({ path, status }) => `${path} ${status}`))).toEqual(new Set(['/flags/ 200', '/batch/ 200']));
});

test('local evaluation by posthog-node 5.70.0 equals remote evaluation, with one request for definitions', async () => {
  const local = connect({ personalApiKey: service.account.personalKey, featureFlagsPollingInterval: 600_000 });
  const remote = connect();
  await local.client.waitForLocalEvaluationReady();
  for (let i = 0; i < 60; i++) {
    const options = {
      groups: { company: i % 2 ? 'acme' : 'other' },
      personProperties: { plan: i % 3 ? 'team' : 'free', age: String(i), email: i % 5 ? `p${i}@example.com` : 'nobody' },
      groupProperties: { company: { size: i % 2 ? 'big' : 'small' } },
    };
    const own = await local.client.getAllFlagsAndPayloads(`person-${i}`, { ...options, onlyEvaluateLocally: true });
    const evaluated = await remote.client.getAllFlagsAndPayloads(`person-${i}`, options);
    expect(shown(own)).toEqual(shown(evaluated));
  }
  await local.client.reloadFeatureFlags();
  expect(local.answers).toEqual([
    { path: '/flags/definitions', status: 200 },
    { path: '/flags/definitions', status: 304 },
  ]);
  await Promise.all([local.client.shutdown(), remote.client.shutdown()]);
});

test('posthog-node 5.70.0 gets a change with its next poll', async () => {
  const { client, answers } = connect({ personalApiKey: service.account.personalKey, featureFlagsPollingInterval: 600_000 });
  await client.waitForLocalEvaluationReady();
  expect(await client.getFeatureFlag('fresh', 'ann', { onlyEvaluateLocally: true })).toBeUndefined();
  await makeFlag('fresh', { groups: [{ properties: [], rollout_percentage: 100 }] });
  const freshFlag = async () => {
    await client.reloadFeatureFlags();
    return client.getFeatureFlag('fresh', 'ann', { onlyEvaluateLocally: true });
  };
  // while the database is slow, the service sends the cached definitions
  await expect.poll(freshFlag).toBe(true);
  expect(answers.filter(({ path, status }) => path === '/flags/definitions' && status === 200)).toHaveLength(2);
  await client.shutdown();
});

test('posthog-node 5.70.0 gets a remote config flag', async () => {
  await makeFlag(
    'limits',
    { groups: [{ properties: [], rollout_percentage: 100 }], payloads: { true: '{"rate":3}' } },
    { is_remote_configuration: true },
  );
  const { client } = connect({ personalApiKey: service.account.personalKey, enableLocalEvaluation: false });
  // while the database is slow, the service evaluates the cached definitions
  await expect.poll(() => client.getRemoteConfigPayload('limits')).toEqual({ rate: 3 });
  await client.shutdown();
});

/** Flags that are on; a response may contain or omit those that are off. */
function shown({ featureFlags, featureFlagPayloads }: { featureFlags?: object; featureFlagPayloads?: object }) {
  const some = (values: object = {}) => Object.fromEntries(Object.entries(values).filter(([, value]) => value));
  return { flags: some(featureFlags), payloads: some(featureFlagPayloads) };
}
