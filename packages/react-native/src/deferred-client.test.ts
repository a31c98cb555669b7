import type { CapturedEvent } from '@tidemark/client';
import { createFakePlatform, flagsAnswer } from '@tidemark/client/testing';
import { describe, expect, test, vi } from 'vitest';
import { createNativeClient } from './native-client.js';
import { createPhone, startApp } from './testing/start-app.js';

const names = (events: CapturedEvent[]) => events.map(({ event }) => event);
const manyEvents = { rate_limiting: { events_per_second: 10_000 } };

/** A phone whose storage answers when it is released. */
function lockedPhone() {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { phone: createPhone(undefined, () => gate), release: () => release() };
}

/** A phone whose storage never answers. */
const hungPhone = () => createPhone(undefined, () => new Promise(() => {}));

describe('events before storage has responded', () => {
  test('of more events than the queue holds, the oldest are dropped, reported as loss and logged once', async () => {
    const { phone, release } = lockedPhone();
    const { client, platform, flushed } = startApp({ ...manyEvents, flushAt: 5_000 }, phone);
    for (let i = 0; i < 1_003; i++) client.capture(`event ${i}`);
    const lost = vi.fn();
    client.on('loss', lost);
    release();
    await client.ready();
    const events = await flushed();
    expect([events.length, events[0]?.event, events.at(-1)?.event]).toEqual([1_000, 'event 3', 'event 1002']);
    expect(lost.mock.calls).toEqual([[{ reason: 'queue_overflow', count: 3 }]]);
    expect(platform.warnings().filter((line) => line.includes('oldest events'))).toHaveLength(1);
  });

  test('at most maxQueueSize of them wait, including screens and exceptions', async () => {
    const { phone, release } = lockedPhone();
    const { client, flushed } = startApp({ ...manyEvents, maxQueueSize: 3 }, phone);
    const lost = vi.fn();
    client.on('loss', lost);
    client.capture('first');
    client.capture('second');
    client.screen('Home');
    client.captureException(new Error('broken'));
    client.capture('last');
    release();
    await client.ready();
    expect(names(await flushed())).toEqual(['$screen', '$exception', 'last']);
    expect(lost.mock.calls).toEqual([[{ reason: 'queue_overflow', count: 2 }]]);
  });

  test('they do not displace identify and related calls', async () => {
    const { phone, release } = lockedPhone();
    const { client } = startApp({ ...manyEvents, maxQueueSize: 2 }, phone);
    client.identify('user-123');
    for (let i = 0; i < 1_500; i++) client.capture('event');
    for (let i = 0; i < 1_500; i++) client.register({ [`number ${i % 7}`]: i });
    release();
    await client.ready();
    expect(client.getDistinctId()).toBe('user-123');
    expect(client.capture('next')?.properties).toMatchObject({ 'number 1': 1_499 });
  });
});

test('calls that wait for storage have a copy of their arguments', async () => {
  const { phone, release } = lockedPhone();
  const { client, platform, flushed } = startApp({}, phone);
  const given = { list: ['tea'] };
  client.register(given);
  client.registerForSession({ session: given });
  client.identify('user-123', given, { once: given });
  client.group('company', 'acme', given);
  client.capture('added', { cart: given }, { $set: given });
  client.screen('Cart', { cart: given });
  client.addExceptionStep('step', { cart: given });
  client.captureException(new Error('broken'), { cart: given });
  client.setPersonPropertiesForFlags(given);
  client.setGroupPropertiesForFlags({ company: given });
  const flags = { beta: true };
  client.featureFlags.override(flags);
  const config = { property_denylist: ['secret'] };
  client.setConfig(config);
  given.list.push('cup');
  flags.beta = false;
  config.property_denylist = [];
  release();
  await client.ready();
  const argument = ['tea'];
  const [identified, grouped, added, screen, failed] = await flushed();
  expect(identified?.properties).toMatchObject({ $set: { list: argument }, $set_once: { once: { list: argument } } });
  expect(grouped?.properties).toMatchObject({ $group_set: { list: argument } });
  const common = { list: argument, session: { list: argument }, cart: { list: argument } };
  expect(added?.properties).toMatchObject({ ...common, $set: { list: argument } });
  expect(screen?.properties).toMatchObject(common);
  expect(failed?.properties).toMatchObject({ ...common, $exception_steps: [{ $message: 'step', cart: { list: argument } }] });
  expect(client.isFeatureEnabled('beta')).toBe(true);
  expect(client.capture('next', { secret: 1 })?.properties).not.toHaveProperty('secret');
  await platform.advance(10);
  expect(platform.requestsTo('/flags/')[0]?.body).toMatchObject({
    person_properties: { list: argument },
    group_properties: { company: { list: argument } },
  });
});

describe('flags while storage does not respond', () => {
  test('they are ready after the timeout of their request, though storage is awaited longer', async () => {
    const heard = vi.fn();
    const { client, platform } = startApp(
      { feature_flag_request_timeout_ms: 2_000, onFeatureFlags: heard, bootstrap: { featureFlags: { beta: true } } },
      hungPhone(),
    );
    const [listener, stopped, changed] = [vi.fn(), vi.fn(), vi.fn()];
    client.onFeatureFlags(listener);
    client.onFeatureFlags(stopped)();
    client.onFeatureFlags(() => {
      throw new Error('the app fails');
    });
    client.flags.subscribe('missing', changed);
    const began = platform.clock.now();
    const ready = client.whenFlagsReady().then(() => platform.clock.now() - began);
    await platform.advance(1_999);
    expect([client.flags.snapshot('missing').status, client.flags.status()]).toEqual(['loading', 'loading']);
    await platform.advance(1);
    expect(await ready).toBe(2_000);
    expect([client.flags.snapshot('missing').status, client.flags.status()]).toEqual(['error', 'error']);
    expect(client.flags.snapshot('beta')).toMatchObject({ status: 'stale', value: true });
    expect(client.flags.snapshot('beta')).toBe(client.flags.snapshot('beta'));
    for (const callback of [heard, listener]) expect(callback.mock.calls).toEqual([[['beta'], { beta: true }, { error: true }]]);
    expect(stopped).not.toHaveBeenCalled();
    expect(changed).toHaveBeenCalledTimes(1);
    expect(await client.whenFlagsReady().then(() => platform.clock.now() - began)).toBe(2_000);
  });

  test('they stay ready when storage responds, and are updated by the response of the service', async () => {
    const platform = createFakePlatform();
    platform.answer('/flags/', async () => {
      await new Promise<void>((resolve) => void platform.timers.set(resolve, 500));
      return { body: flagsAnswer({ beta: true }) };
    });
    const { client } = startApp({}, hungPhone(), platform);
    await platform.advance(3_000);
    const seen = new Set<string>();
    client.flags.subscribe('beta', () => seen.add(client.flags.snapshot('beta').status));
    await platform.advance(2_100);
    expect(client.flags.snapshot('beta').status).toBe('error');
    await platform.advance(1_000);
    expect(client.flags.snapshot('beta')).toMatchObject({ status: 'ready', value: true });
    expect([...seen]).toEqual(['error', 'ready']);
    client.reset();
    expect(client.flags.snapshot('beta').status).toBe('loading');
  });

  test('flags that are not requested are not in error', async () => {
    const { client, platform } = startApp({ disable_flags: true }, hungPhone());
    await platform.advance(4_000);
    expect(client.flags.status()).toBe('loading');
    await platform.advance(2_000);
    expect(client.flags.status()).toBe('ready');
  });

  test('shutdown leaves no timer behind', async () => {
    const platform = createFakePlatform();
    platform.answer('/flags/', 'hang');
    const { client } = startApp({}, createPhone(), platform);
    await client.ready();
    const before = platform.pendingTimers();
    await client.shutdown();
    expect(platform.pendingTimers()).toBeLessThan(before);
    await platform.advance(10_000);
    expect(platform.pendingTimers()).toBe(0);
  });
});

test('options are accepted in any spelling, and a mistyped one is warned of', async () => {
  const { phone, release } = lockedPhone();
  release();
  const platform = createFakePlatform();
  const misspelled: object = { maxQueuSize: 5 };
  const given = {
    apiHost: 'http://elsewhere',
    storage: phone.storage,
    beforeSend: () => null,
    disable_flags: true,
    ...misspelled,
  };
  const client = createNativeClient('tmk_0123456789abcdef', given, platform);
  await client.ready();
  client.capture('dropped');
  await client.flush();
  expect(platform.requestsTo('/batch/')).toEqual([]);
  expect(platform.requests.map(({ url }) => new URL(url).origin)).toContain('http://elsewhere');
  expect(platform.warnings()).toEqual(['[tidemark] The option maxQueuSize is unknown: did you mean maxQueueSize?']);
});
