import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { init, type NodeClient, type NodeOptions } from '@tidemark/node';
import { type EventRecord, eventually, type Service, startService } from '@tidemark/testkit';
import { PostHog } from 'posthog-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareImportAfterAll } from './testing/compare-import.js';

let service: Service;
const open: NodeClient[] = [];
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await Promise.all(open.map((client) => client.shutdown(1_000)));
  await service?.close();
});
compareImportAfterAll(() => service);

function connect(options: Partial<NodeOptions> = {}): NodeClient {
  const client = init(service.account.projectKey, { host: service.url, ...options });
  open.push(client);
  return client;
}

function stored(event: string, count: number): Promise<EventRecord[]> {
  return eventually(async () => {
    const found = await service.events({ event });
    if (found.length < count) throw new Error(`${found.length} of ${count} events are visible`);
    return found;
  });
}

async function makeFlag(key: string, filters: object, more: object = {}): Promise<void> {
  const { status, body } = await service.post('/api/projects/@current/feature_flags/', { key, name: key, filters, ...more });
  expect([status, body]).toMatchObject([201, { key }]);
}

const everybody = { groups: [{ properties: [], rollout_percentage: 100 }] };
const person = (key: string, operator: string, value: unknown) => ({ key, operator, value, type: 'person' });

test('events, persons, aliases and groups are stored, once each', async () => {
  const client = connect();
  const uuid = client.capture({
    distinctId: 'ann',
    event: 'order placed',
    properties: { total: 9.5 },
    groups: { company: 'acme' },
  });
  client.identify({ distinctId: 'ann', properties: { email: 'ann@example.com', $set_once: { first: 'today' } } });
  client.alias({ distinctId: 'ann', alias: 'ann-phone' });
  client.groupIdentify({ groupType: 'company', groupKey: 'acme', properties: { plan: 'team' } });
  client.captureAi({ distinctId: 'ann', event: '$ai_generation', properties: { $ai_model: 'small' } });
  client.captureException(new TypeError('boom', { cause: new Error('root') }), 'ann', { area: 'checkout' });
  await client.shutdown();

  const [order, ...more] = await stored('order placed', 1);
  expect(more).toEqual([]);
  expect(order).toMatchObject({ uuid, distinct_id: 'ann' });
  expect(order?.['properties']).toMatchObject({ total: 9.5, $lib: 'tidemark-node', $is_server: true });
  expect(await stored('$ai_generation', 1)).toMatchObject([{ distinct_id: 'ann', properties: { $ai_model: 'small' } }]);
  const [exception] = await stored('$exception', 1);
  expect(exception?.['properties']).toMatchObject({ $exception_type: 'TypeError', $exception_level: 'error', area: 'checkout' });
  const { body } = await service.get('/api/projects/@current/persons/?distinct_id=ann-phone');
  expect(body).toMatchObject({ results: [{ properties: { email: 'ann@example.com', first: 'today' } }] });
});

test('2,500 events of many persons arrive in few requests', async () => {
  const client = connect({ flushAt: 500, maxBatchSize: 500, maxQueueSize: 10_000 });
  const uuids = Array.from({ length: 2_500 }, (_, i) =>
    client.capture({ distinctId: `many-${i % 40}`, event: 'counted', properties: { i, text: 'Ünïcode 茶'.repeat(30) } }),
  );
  await client.shutdown();
  const found = await stored('counted', 2_500);
  expect(found.map((event) => event.uuid).sort()).toEqual(uuids.sort());
});

test('local evaluation equals remote evaluation, and polls for definitions get 304', async () => {
  await makeFlag('half', { groups: [{ properties: [], rollout_percentage: 50 }] });
  await makeFlag('adults', {
    groups: [{ properties: [person('age', 'gt', '18')], rollout_percentage: 90 }],
    multivariate: {
      variants: [
        { key: 'red', name: '', rollout_percentage: 30 },
        { key: 'blue', name: '', rollout_percentage: 70 },
      ],
    },
    payloads: { red: '"rose"', blue: '{"sky":true}' },
  });
  await makeFlag('mail', { groups: [{ properties: [person('email', 'ends_with', '@EXAMPLE.com')] }] });
  await makeFlag('away', everybody, { active: false });
  const local = connect({ personalApiKey: service.account.personalKey });
  const remote = connect();
  expect(await local.whenFlagsReady()).toBe(true);
  const on = (flags: object) => Object.fromEntries(Object.entries(flags).filter(([, value]) => value));
  for (let i = 0; i < 40; i++) {
    const personProperties = { age: String(i), email: i % 3 ? `p${i}@example.com` : 'nobody' };
    const here = await local.getFeatureFlagsAndPayloads(`person-${i}`, { personProperties, onlyEvaluateLocally: true });
    const there = await remote.getFeatureFlagsAndPayloads(`person-${i}`, { personProperties });
    expect({ ...here, featureFlags: on(here.featureFlags) }).toEqual({ ...there, featureFlags: on(there.featureFlags) });
  }
  expect(await local.getFeatureFlag('fresh', 'ann', { onlyEvaluateLocally: true })).toBeUndefined();
  await makeFlag('fresh', everybody);
  // while its database is slow, the service sends the cached definitions
  await eventually(async () => {
    await local.reloadFeatureFlags();
    expect(await local.getFeatureFlag('fresh', 'ann', { onlyEvaluateLocally: true })).toBe(true);
  });
});

test('local evaluation agrees with posthog-node for the same definitions', async () => {
  const ours = connect({ personalApiKey: service.account.personalKey });
  const theirs = new PostHog(service.account.projectKey, { host: service.url, personalApiKey: service.account.personalKey });
  await Promise.all([ours.whenFlagsReady(), theirs.waitForLocalEvaluationReady()]);
  for (let i = 0; i < 100; i++) {
    const personProperties = { age: String(i % 30), email: `p${i}@example.com` };
    const options = { personProperties, onlyEvaluateLocally: true };
    expect(await ours.getFeatureFlags(`who-${i}`, options)).toMatchObject(await theirs.getAllFlags(`who-${i}`, options));
  }
  await theirs.shutdown();
});

test('each flag that is read is reported once, and events have the flags of a snapshot', async () => {
  const client = connect();
  const flags = await client.evaluateFlags('reporter', { flagKeys: ['fresh', 'adults'], personProperties: { age: '5' } });
  expect([flags.isEnabled('fresh'), flags.getFlag('fresh'), flags.isEnabled('adults')]).toEqual([true, true, false]);
  client.capture({ distinctId: 'reporter', event: 'with flags', flags });
  await client.shutdown();
  const calls = await stored('$feature_flag_called', 2);
  expect(calls.map(({ properties }) => (properties as { $feature_flag: string }).$feature_flag).sort()).toEqual([
    'adults',
    'fresh',
  ]);
  const [event] = await stored('with flags', 1);
  expect(event?.['properties']).toMatchObject({ '$feature/fresh': true, $active_feature_flags: ['fresh'] });
});

test('a page starts with the flags that the server evaluated', async () => {
  const client = connect();
  expect(await client.getBootstrap('ann')).toMatchObject({
    distinctId: 'ann',
    isIdentifiedId: true,
    featureFlags: { fresh: true },
  });
  const stranger = await client.getBootstrap({ headers: {} });
  expect(stranger).toMatchObject({ isIdentifiedId: false, featureFlags: { fresh: true } });
});

/** Runs a script with the SDK in a separate process. */
async function run(script: string): Promise<{ code: number; stderr: string }> {
  const env = { ...process.env, KEY: service.account.projectKey, HOST: service.url };
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const lines = `import { init } from '@tidemark/node';\n${script}`;
  return promisify(execFile)(process.execPath, ['--input-type=module', '-e', lines], { env, cwd }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    (error) => error,
  );
}

test('a script that ends without shutdown delivers its events and exits', async () => {
  const { code } = await run(
    `init(process.env.KEY, { host: process.env.HOST }).capture({ distinctId: 'cli', event: 'script ran' });`,
  );
  expect(code).toBe(0);
  await stored('script ran', 1);
});

test('an uncaught exception is stored, and the process exits as without the library', async () => {
  const { code, stderr } = await run(`
    init(process.env.KEY, { host: process.env.HOST, enableExceptionAutocapture: true });
    setTimeout(() => { throw new RangeError('nobody caught this'); }, 1);
    setTimeout(() => {}, 60_000);`);
  expect(code).toBe(1);
  expect(stderr).toContain('nobody caught this');
  const found = await eventually(async () => {
    const fatal = (await service.events({ event: '$exception' })).find(({ properties }) =>
      JSON.stringify(properties).includes('fatal'),
    );
    if (!fatal) throw new Error('not yet');
    return fatal;
  });
  expect(found['properties']).toMatchObject({
    $exception_type: 'RangeError',
    $exception_source: 'node.process_uncaught_exception',
  });
});

test('while the service is unavailable the process works, and later delivers the queued events', async () => {
  const away = await startService();
  const client = init(away.account.projectKey, { host: away.url });
  await away.kill9();
  client.capture({ distinctId: 'patient', event: 'waited' });
  await client.flush();
  expect(await client.isFeatureEnabled('any', 'patient', { defaultValue: true })).toBe(true);
  await away.restart();
  await client.shutdown();
  const found = await eventually(async () => {
    const events = await away.events({ event: 'waited' });
    if (!events.length) throw new Error('not yet');
    return events;
  });
  expect(found).toHaveLength(1);
  await away.close();
});
