import { readFileSync } from 'node:fs';
import type { CapturedEvent } from '@tidemark/client';
import { createFakePlatform, type FakePlatform, flagsAnswer } from '@tidemark/client/testing';
import { describe, expect, test, vi } from 'vitest';
import type { NativeClient } from './native-client.js';
import { createPhone, startApp } from './testing/start-app.js';
import { VERSION } from './version.js';

const names = (events: CapturedEvent[]) => events.map(({ event }) => event);
const START = Date.UTC(2025, 0, 1);

test('the library version is that of the package', () => {
  expect(VERSION).toBe(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version);
});

describe('start', () => {
  test('calls before storage has responded run later, in order and with their times', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { client, platform, flushed } = startApp(
      {},
      createPhone(undefined, () => gate),
    );
    client.register({ plan: 'pro' });
    client.capture('early', { a: 1 });
    await platform.advance(2_000);
    client.screen('Home');
    client.identify('user-123');
    expect([client.getDistinctId(), client.isInitialized]).toEqual(['', true]);
    release();
    await client.ready();
    expect(client.getDistinctId()).toBe('user-123');
    const events = await flushed();
    expect(names(events)).toEqual(['early', '$screen', '$identify']);
    expect(events.map(({ timestamp }) => Date.parse(timestamp) - START)).toEqual([0, 2_000, 2_000]);
    expect(events[0]?.properties).toMatchObject({ a: 1, plan: 'pro', $lib: 'tidemark-react-native', $lib_version: VERSION });
  });

  test('SET-1 with synchronous storage the client is complete at once', () => {
    const stored = new Map<string, string>();
    const { client } = startApp(
      {},
      {
        storage: {
          getItem: (key) => stored.get(key),
          setItem: (key, text) => void stored.set(key, text),
          removeItem: (key) => void stored.delete(key),
        },
      },
    );
    expect(client.getDistinctId()).toMatch(/^[\da-f-]{36}$/);
  });

  test('SET-2 IDN-3 STO-1 SUP-2 identity and super properties survive a restart of the app', async () => {
    const phone = createPhone();
    const first = startApp({}, phone);
    await first.client.ready();
    first.client.register({ plan: 'pro' });
    first.client.group('company', 'acme');
    const id = first.client.getDistinctId();
    await first.client.shutdown();
    await first.platform.settle();
    const second = startApp({}, phone, createFakePlatform({ seed: 2 }));
    await second.client.ready();
    expect(second.client.getDistinctId()).toBe(id);
    second.client.capture('again');
    expect((await second.flushed())[0]).toMatchObject({
      distinct_id: id,
      properties: { plan: 'pro', $groups: { company: 'acme' } },
    });
  });

  test('SET-5 debug mode ends with the app', async () => {
    const phone = createPhone();
    const first = startApp({}, phone);
    first.client.debug();
    await first.client.ready();
    const lines = ({ client, platform }: ReturnType<typeof startApp>) => {
      client.getFeatureFlag('x');
      return platform.logged.filter(({ level }) => level === 'debug').length;
    };
    expect(lines(first)).toBeGreaterThan(0);
    await first.client.shutdown();
    await first.platform.settle();
    expect(phone.stored.size).toBeGreaterThan(0);
    const second = startApp({}, phone, createFakePlatform({ seed: 2 }));
    await second.client.ready();
    expect(lines(second)).toBe(0);
  });

  test('CON-5 CON-6 a stored opt-out is in force for calls made before it was read', async () => {
    const phone = createPhone();
    const first = startApp({}, phone);
    await first.client.ready();
    first.client.optOut();
    await first.client.shutdown();
    await first.platform.settle();
    const second = startApp({}, phone, createFakePlatform({ seed: 2 }));
    second.client.capture('dropped');
    second.client.screen('dropped');
    expect(second.client.isOptedOut()).toBe(true);
    await second.client.ready();
    expect(second.client.isOptedOut()).toBe(true);
    expect(await second.flushed()).toEqual([]);
  });
});

describe('delivery', () => {
  test('BAT-1 twenty events are sent without waiting', async () => {
    const phone = createPhone();
    const { client, platform, sent } = startApp({ flushAt: 'default' }, phone);
    await client.ready();
    for (let i = 0; i < 19; i++) client.capture('one');
    await platform.settle();
    expect(sent()).toEqual([]);
    client.capture('one');
    await platform.settle();
    expect(sent()).toHaveLength(20);
  });

  test('events that could not be sent survive the app, and are sent at the next start', async () => {
    const phone = createPhone();
    const platform = createFakePlatform();
    platform.answer('/batch/', 'fail');
    const first = startApp({}, phone, platform);
    await first.client.ready();
    first.client.capture('kept');
    await platform.advance(1_000);
    phone.become('background');
    await platform.settle();
    const second = startApp({}, phone, createFakePlatform({ seed: 2, now: START + 60_000 }));
    await second.client.ready();
    const events = await second.flushed();
    expect(names(events)).toEqual(['kept']);
    expect(events[0]?.timestamp).toBe(new Date(START).toISOString());
    expect(events[0]?.uuid).toBe(first.sent()[0]?.uuid);
  });

  test('going to the background sends the queue; without network nothing is tried until it is back', async () => {
    const phone = createPhone();
    const { client, platform, sent } = startApp({ flushInterval: 100 }, phone);
    await client.ready();
    client.capture('a');
    phone.become('background');
    await platform.settle();
    expect(names(sent())).toEqual(['a']);
    phone.setConnected(false);
    client.capture('b');
    await platform.advance(10_000);
    expect(names(sent())).toEqual(['a']);
    phone.setConnected(true);
    await platform.advance(1_000);
    expect(names(sent())).toEqual(['a', 'b']);
  });

  test('BAT-6 LIF-4 shutdown sends the queue and removes all listeners', async () => {
    const phone = createPhone();
    const { client, sent } = startApp({ captureAppLifecycleEvents: true }, phone);
    client.capture('last');
    await client.shutdown();
    expect(names(sent())).toContain('last');
    expect(phone.listening()).toBe(0);
    client.capture('late');
    await client.flush();
    expect(names(sent())).not.toContain('late');
  });
});

describe('screens', () => {
  test('SCR-1 SCR-2 a screen is captured, the name argument overrides the property, and later events have it', async () => {
    const { client, flushed } = startApp();
    client.screen('Home', { tab: 'main', $screen_name: 'fake' });
    client.screen('Settings');
    client.capture('saved');
    await client.ready();
    expect(client.currentScreen()).toBe('Settings');
    const events = await flushed();
    expect(events[0]).toMatchObject({ event: '$screen', properties: { $screen_name: 'Home', tab: 'main' } });
    expect(events.map(({ properties }) => properties['$screen_name'])).toEqual(['Home', 'Settings', 'Settings']);
  });

  test('SCR-2 the screen is not stored over restarts', async () => {
    const phone = createPhone();
    const first = startApp({}, phone);
    first.client.screen('Home');
    await first.client.shutdown();
    expect(startApp({}, phone).client.currentScreen()).toBeUndefined();
  });

  test('SCR-3 while opted out no screen is captured, and one without a name never', async () => {
    const { client, platform, flushed } = startApp({ opt_out_by_default: true });
    client.screen('Home');
    await client.ready();
    client.optIn();
    client.screen('');
    expect(await flushed()).toEqual([]);
    expect(platform.warnings()).toHaveLength(1);
  });
});

describe('application lifecycle events', () => {
  const app = { version: '1.0.0', build: '100' };
  const options = { captureAppLifecycleEvents: true, app };

  test('LIF-1 LIF-2 RST-4 the first start is an install, a new version an update, and reset does not change that', async () => {
    const phone = createPhone();
    const first = startApp(options, phone);
    await first.client.ready();
    first.client.reset(true);
    const events = await first.flushed();
    expect(events.map(({ event, properties }) => [event, properties['version'], properties['build']])).toEqual([
      ['Application Installed', '1.0.0', '100'],
      ['Application Opened', '1.0.0', '100'],
    ]);
    expect(events[0]?.properties).toMatchObject({ $app_version: '1.0.0', $app_build: '100' });
    await first.client.shutdown();
    await first.platform.settle();
    const same = startApp(options, phone, createFakePlatform({ seed: 2 }));
    expect(names(await same.flushed())).toEqual(['Application Opened']);
    await same.client.shutdown();
    await same.platform.settle();
    const built = startApp({ ...options, app: { version: '1.0.0', build: '101' } }, phone, createFakePlatform({ seed: 4 }));
    expect(names(await built.flushed())).toEqual(['Application Updated', 'Application Opened']);
    await built.client.shutdown();
    await built.platform.settle();
    const next = startApp({ ...options, app: { version: '1.1.0', build: '110' } }, phone, createFakePlatform({ seed: 3 }));
    expect((await next.flushed())[0]).toMatchObject({
      event: 'Application Updated',
      properties: { version: '1.1.0', build: '110', previous_version: '1.0.0', previous_build: '101' },
    });
  });

  test('LIF-3 LIF-4 going to the background is captured once, and the return is an open from background', async () => {
    const phone = createPhone();
    const { client, flushed } = startApp(options, phone);
    await client.ready();
    for (const state of ['inactive', 'background', 'background', 'active', 'active', 'background']) phone.become(state);
    // going to the background has begun to send the first of them
    await client.flush();
    const events = await flushed();
    expect(events.slice(1).map(({ event, properties }) => [event, properties['from_background']])).toEqual([
      ['Application Opened', false],
      ['Application Backgrounded', undefined],
      ['Application Opened', true],
      ['Application Backgrounded', undefined],
    ]);
  });

  test('LIF-3 with the option off none is captured; LIF-4 without metadata of the app they are captured without it', async () => {
    const phone = createPhone();
    const off = startApp({ captureAppLifecycleEvents: false, app }, phone);
    await off.client.ready();
    phone.become('background');
    expect(await off.flushed()).toEqual([]);
    const bare = startApp({ captureAppLifecycleEvents: true }, createPhone());
    const [installed] = await bare.flushed();
    expect(installed?.event).toBe('Application Installed');
    expect(installed?.properties).not.toHaveProperty('version');
  });
});

describe('flags', () => {
  const flagsOf = async (client: NativeClient, platform: FakePlatform) => {
    const ready = client.whenFlagsReady();
    await platform.advance(10);
    await ready;
  };
  const answer = {
    body: {
      flags: { 'beta-ui': { key: 'beta-ui', enabled: true, variant: 'blue', metadata: { id: 1, payload: '{"a":1}' } } },
      errorsWhileComputingFlags: false,
    },
  };

  test('they are awaited for the given timeout, also while storage does not respond', async () => {
    const { client, platform } = startApp(
      {},
      createPhone(new Map(), () => new Promise(() => {})),
    );
    const began = platform.clock.now();
    const ready = client.whenFlagsReady(500).then(() => platform.clock.now() - began);
    await platform.advance(20_000);
    expect(await ready).toBe(500);
  });

  test('bootstrapped flags are known before storage is, and are replaced by those of the service', async () => {
    const platform = createFakePlatform();
    platform.answer('/flags/', answer);
    const { client } = startApp(
      { bootstrap: { featureFlags: { 'beta-ui': 'red' }, featureFlagPayloads: { 'beta-ui': 5 } } },
      createPhone(),
      platform,
    );
    const changed = vi.fn();
    client.flags.subscribe('beta-ui', changed);
    expect([
      client.getFeatureFlag('beta-ui'),
      client.isFeatureEnabled('beta-ui'),
      client.getFeatureFlagPayload('beta-ui'),
    ]).toEqual(['red', true, 5]);
    expect(client.isFeatureEnabled('missing', { defaultValue: true })).toBe(true);
    expect(client.flags.activeKeys()).toEqual(['beta-ui']);
    await flagsOf(client, platform);
    expect([client.getFeatureFlag('beta-ui'), client.getFeatureFlagPayload('beta-ui')]).toEqual(['blue', { a: 1 }]);
    expect(client.flags.snapshot('beta-ui')).toMatchObject({ source: 'server', variant: 'blue' });
    expect(client.flags.serverSnapshot('beta-ui')).toMatchObject({ source: 'bootstrap', variant: 'red' });
    expect(changed).toHaveBeenCalled();
  });

  test('a request that failed without a network is made once when it is back', async () => {
    const phone = createPhone();
    const platform = createFakePlatform();
    platform.answer('/flags/', 'fail', 'fail', { body: flagsAnswer({ beta: true }) });
    const { client } = startApp({}, phone, platform);
    await client.ready();
    phone.setConnected(false);
    await platform.advance(1_000);
    expect(client.flags.snapshot('beta').status).toBe('error');
    phone.setConnected(true);
    await platform.advance(1_000);
    expect(client.isFeatureEnabled('beta')).toBe(true);
    phone.setConnected(null);
    await platform.advance(1_000);
    expect(platform.requestsTo('/flags/')).toHaveLength(3);
  });

  test('listeners from before storage responded are called for later loads, unless they were removed', async () => {
    const platform = createFakePlatform();
    platform.answer('/flags/', answer);
    const { client } = startApp({}, createPhone(), platform);
    const [heard, stopped] = [vi.fn(), vi.fn()];
    client.onFeatureFlags(heard);
    client.onFeatureFlags(stopped)();
    await flagsOf(client, platform);
    expect(heard).toHaveBeenLastCalledWith(['beta-ui'], { 'beta-ui': 'blue' }, { error: false });
    expect(stopped).not.toHaveBeenCalled();
  });
});
