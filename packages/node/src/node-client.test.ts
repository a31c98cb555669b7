import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createNodeClient } from './create-node-client.js';
import type { NodeClient } from './node-client.js';
import { fakeNode } from './testing/fake-node.js';
import { PROJECT_KEY, startClient } from './testing/start-client.js';
import { VERSION } from './version.js';

const UUID = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

test('the library version is that of the package', () => {
  expect(VERSION).toBe(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version);
});

describe('capture', () => {
  test('CAP-2 an event has the given id, properties, library and uuid', async () => {
    const { client, flushed } = startClient();
    const uuid = client.capture({ distinctId: 'user-123', event: 'Signed Up', properties: { source: 'ad' } });
    expect(uuid).toMatch(UUID);
    expect(await flushed()).toEqual([
      {
        event: 'Signed Up',
        distinct_id: 'user-123',
        timestamp: '2025-01-01T00:00:00.000Z',
        uuid,
        properties: {
          source: 'ad',
          $lib: 'tidemark-test',
          $lib_version: '1.0.0',
          $is_server: true,
          $geoip_disable: true,
        },
      },
    ]);
  });

  test('CAP-3 while opted out nothing is queued or sent, and after an opt-in dropped events stay dropped', async () => {
    const { client, node, flushed } = startClient({ optedOut: true });
    expect(client.isOptedOut()).toBe(true);
    expect(client.capture({ distinctId: 'user-123', event: 'dropped' })).toBeNull();
    expect(client.captureException(new Error('dropped'), 'user-123')).toBeNull();
    await client.flush();
    expect(node.requests).toEqual([]);
    client.optIn();
    client.capture({ distinctId: 'user-123', event: 'kept' });
    expect((await flushed()).map(({ event }) => event)).toEqual(['kept']);
    client.optOut();
    expect(client.capture({ distinctId: 'user-123', event: 'dropped' })).toBeNull();
  });

  test.each([
    [{ distinctId: 'user-123', event: '' }],
    [{ distinctId: 'user-123', event: 5 as never }],
    [{ distinctId: '', event: 'nobody' }],
    [{ distinctId: '  ', event: 'nobody' }],
    [{ event: 'nobody' }],
    [undefined as never],
  ])('CAP-6 IDN-2 without a name or a distinct id the event is dropped with a warning: %j', async (message) => {
    const { client, node } = startClient();
    expect(client.capture(message)).toBeNull();
    await client.flush();
    expect(node.requests).toEqual([]);
    expect(node.warnings()).toHaveLength(1);
  });

  test('CAP-7 time and uuid can be given; a time of any zone is sent as the same instant, with its digits', async () => {
    const { client, flushed } = startClient();
    const uuid = '0190f5a0-0000-7000-8000-000000000001';
    client.capture({ distinctId: 'a', event: 'one', timestamp: '2024-05-01T12:00:00.123456+02:00', uuid });
    client.capture({ distinctId: 'a', event: 'two', timestamp: new Date(0) });
    client.capture({ distinctId: 'a', event: 'three', timestamp: 'yesterday', uuid: 'mine' });
    const [one, two, three] = await flushed();
    expect(one).toMatchObject({ timestamp: '2024-05-01T10:00:00.123456Z', uuid });
    expect(two).toMatchObject({ timestamp: '1970-01-01T00:00:00.000Z', uuid: expect.stringMatching(UUID) });
    expect(three).toMatchObject({ timestamp: '2025-01-01T00:00:00.000Z', uuid: expect.stringMatching(UUID) });
  });

  test('CAP-8 nothing throws, also for odd properties, cycles and big integers', async () => {
    const { client, flushed } = startClient();
    const cycle: Record<string, unknown> = { big: 5n };
    cycle['self'] = cycle;
    expect(client.capture({ distinctId: 'a', event: 'cycle', properties: cycle })).toMatch(UUID);
    expect(client.capture({ distinctId: 'a', event: 'text', properties: 'odd' as never })).toMatch(UUID);
    const trap = {
      get bad() {
        throw new Error('boom');
      },
    };
    expect(client.capture({ distinctId: 'a', event: 'trap', properties: { trap } })).toMatch(UUID);
    expect((await flushed()).map(({ event, properties }) => [event, properties['big']])).toEqual([
      ['cycle', '5'],
      ['text', undefined],
      ['trap', undefined],
    ]);
  });

  test('common properties are on every event, and those of the call override them; the library cannot be overridden', async () => {
    const { client, flushed } = startClient({ properties: { service: 'shop', region: 'eu' }, disableGeoip: false });
    client.capture({ distinctId: 'a', event: 'x', properties: { region: 'us', $lib: 'fake' }, groups: { company: 7 } });
    const [event] = await flushed();
    expect(event?.properties).toEqual({
      service: 'shop',
      region: 'us',
      $is_server: true,
      $geoip_disable: false,
      $groups: { company: '7' },
      $lib: 'tidemark-test',
      $lib_version: '1.0.0',
    });
  });

  test.each([
    ['', 'http://tidemark', 'project key'],
    ['tms_secret', 'http://tidemark', 'secret key'],
    [PROJECT_KEY, '', 'host'],
  ])('SET-4 the key %j and host %j make an inactive client with one clear message', async (key, host, message) => {
    const { createNodeClient } = await import('./create-node-client.js');
    const { fakeNode } = await import('./testing/fake-node.js');
    const node = fakeNode();
    const client = createNodeClient(key, { host, personalApiKey: 'tms_1' }, node);
    expect(client.capture({ distinctId: 'a', event: 'x' })).toBeNull();
    expect(await client.getFeatureFlag('x', 'a', { defaultValue: true })).toBe(true);
    await client.shutdown();
    expect(node.requests).toEqual([]);
    expect(node.logged).toEqual([{ level: 'error', text: expect.stringContaining(message) }]);
  });

  test('options are accepted in any spelling, and a mistyped one is warned of', async () => {
    const { createNodeClient } = await import('./create-node-client.js');
    const { fakeNode } = await import('./testing/fake-node.js');
    const node = fakeNode();
    const misspelled: object = { flushAtt: 5 };
    const given = { apiHost: 'http://elsewhere', flush_at: 1, disable_compression: true, disable_geoip: false, ...misspelled };
    const client = createNodeClient(PROJECT_KEY, given, node);
    client.capture({ distinctId: 'a', event: 'x' });
    await client.flush();
    expect(node.requests.map(({ url }) => new URL(url).origin)).toEqual(['http://elsewhere']);
    expect(node.requests[0]?.body).toMatchObject({ batch: [{ properties: { $geoip_disable: false } }] });
    expect(node.logged).toEqual([
      { level: 'warn', text: expect.stringContaining('The option flushAtt is unknown: did you mean flushAt?') },
    ]);
    await client.shutdown();
  });

  test('SET-5 debug turns verbose logging on and off', async () => {
    const { client, node } = startClient({}, undefined);
    await client.evaluateFlags();
    expect(node.logged).toEqual([]);
    client.debug();
    await client.evaluateFlags();
    expect(node.logged).toHaveLength(1);
    client.debug(false);
    await client.evaluateFlags();
    expect(node.logged).toHaveLength(1);
    expect(node.requests).toEqual([]);
  });
});

describe('identity', () => {
  test('IDN-8 identify sets properties, without an anonymous id and without state', async () => {
    const { client, flushed } = startClient();
    client.identify({ distinctId: 'user-123', properties: { email: 'a@b.c', $set_once: { first: 1 }, $anon_distinct_id: 'x' } });
    client.identify({ distinctId: 'user-123', properties: { email: 'a@b.c' } });
    const [first, second] = await flushed();
    expect(first).toMatchObject({
      event: '$identify',
      distinct_id: 'user-123',
      properties: { $set: { email: 'a@b.c' }, $set_once: { first: 1 } },
    });
    expect(first?.properties).toHaveProperty('$set', { email: 'a@b.c' });
    expect(first?.properties).not.toHaveProperty('$anon_distinct_id');
    expect(second).toMatchObject({ event: '$identify' });
  });

  test('IDN-15 alias sends both ids, under the existing one', async () => {
    const { client, flushed } = startClient();
    client.alias({ distinctId: 'anon-123', alias: 'user-123' });
    expect(await flushed()).toMatchObject([
      { event: '$create_alias', distinct_id: 'anon-123', properties: { distinct_id: 'anon-123', alias: 'user-123' } },
    ]);
  });

  test.each([
    ['', 'user-123'],
    ['anon-123', ''],
  ])('IDN-16 alias without one of its ids (%j, %j) warns', async (distinctId, alias) => {
    const { client, node } = startClient();
    expect(client.alias({ distinctId, alias })).toBeNull();
    await client.flush();
    expect(node.requests).toEqual([]);
    expect(node.warnings()).toHaveLength(1);
  });

  test('GRP-4 groupIdentify sends the group, under an id derived from it if none is given', async () => {
    const { client, node, flushed } = startClient();
    client.groupIdentify({ groupType: 'company', groupKey: 'acme', properties: { plan: 'pro' }, distinctId: 'user-123' });
    client.groupIdentify({ groupType: 'company', groupKey: 'acme' });
    expect(client.groupIdentify({ groupType: 'company', groupKey: '' })).toBeNull();
    expect(client.groupIdentify({ groupType: '', groupKey: 'acme' })).toBeNull();
    expect(await flushed()).toMatchObject([
      {
        event: '$groupidentify',
        distinct_id: 'user-123',
        properties: { $group_type: 'company', $group_key: 'acme', $group_set: { plan: 'pro' } },
      },
      { event: '$groupidentify', distinct_id: '$company_acme', properties: { $group_set: {} } },
    ]);
    expect(node.warnings()).toHaveLength(1);
  });
});

describe('unusual arguments, as JavaScript and databases give them', () => {
  const ODD: unknown[] = [
    undefined,
    null,
    7,
    'text',
    [],
    {},
    { distinctId: 'u', alias: 'v', event: 'e', groupType: 't', groupKey: 'k', properties: null, groups: null, flags: null },
    { distinctId: 'u', event: 'e', properties: 'text', groups: 'text', flags: { a: true }, timestamp: {}, uuid: {} },
  ];
  const METHODS = `capture captureAi identify alias groupIdentify captureException isFeatureEnabled getFeatureFlag getFeatureFlagPayload
    getFeatureFlagResult getFeatureFlags getFeatureFlagsAndPayloads evaluateFlags getBootstrap setPersonPropertiesForFlags
    setGroupPropertiesForFlags resetGroupPropertiesForFlags reloadFeatureFlags whenFlagsReady debug flush`;

  test.each(METHODS.split(/\s+/))('CAP-8 FLG-24 %s neither throws nor rejects', async (method) => {
    const { client } = startClient();
    const call = (...given: unknown[]): unknown => Reflect.apply(Reflect.get(client, method), client, given);
    for (const one of ODD) {
      for (const other of ODD) {
        await call(one, other, other);
        await call('text', one, other);
      }
    }
  });

  test('CAP-7 null counts as not given: the time is now, not 1970', async () => {
    const { client, flushed, node } = startClient();
    const nothing = { timestamp: null, uuid: null, properties: null, groups: null, flags: null };
    Reflect.apply(client.capture, client, [{ distinctId: 'u', event: 'a', ...nothing }]);
    expect((await flushed()).map(({ timestamp, uuid }) => [timestamp, UUID.test(uuid)])).toEqual([
      ['2025-01-01T00:00:00.000Z', true],
    ]);
    expect(node.warnings()).toEqual([]);
  });

  test('flags that are not from evaluateFlags are ignored, with a warning', async () => {
    const { client, flushed, node } = startClient();
    Reflect.apply(client.capture, client, [{ distinctId: 'u', event: 'a', flags: { beta: true } }]);
    expect((await flushed()).map(({ event, properties }) => [event, '$active_feature_flags' in properties])).toEqual([
      ['a', false],
    ]);
    expect(node.warnings()).toEqual([expect.stringContaining('evaluateFlags')]);
  });

  test('a client without options logs an error that names the host', async () => {
    const node = fakeNode();
    const client: NodeClient = Reflect.apply(createNodeClient, undefined, [PROJECT_KEY, undefined, node]);
    expect(client.capture({ distinctId: 'u', event: 'a' })).toBeNull();
    expect(await client.isFeatureEnabled('a', 'u', { defaultValue: true })).toBe(true);
    expect(node.logged).toMatchObject([{ level: 'error', text: expect.stringContaining('host') }]);
    await client.shutdown();
  });
});

test('$geoip_disable of events follows the option, and the argument of the call overrides it', async () => {
  const { client, flushed } = startClient({ disableGeoip: false });
  client.capture({ distinctId: 'ada', event: 'by option' });
  client.capture({ distinctId: 'ada', event: 'by call', disableGeoip: true });
  client.identify({ distinctId: 'ada', disableGeoip: true });
  client.alias({ distinctId: 'ada', alias: 'a', disableGeoip: true });
  client.groupIdentify({ groupType: 'company', groupKey: 'acme', disableGeoip: true });
  expect((await flushed()).map(({ properties }) => properties['$geoip_disable'])).toEqual([false, true, true, true, true]);
});
