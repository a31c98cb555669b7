import type { CapturedEvent } from '@tidemark/client';
import { createFakePlatform } from '@tidemark/client/testing';
import { expect, test } from 'vitest';
import type { NativeClient } from './native-client.js';
import { createPhone, startApp } from './testing/start-app.js';

const names = (events: CapturedEvent[]) => events.map(({ event }) => event);

test('if storage fails or hangs the client works in memory', async () => {
  const failing = startApp(
    {},
    {
      storage: {
        getItem: () => Promise.reject(new Error('corrupt')),
        setItem: () => Promise.reject(new Error('full')),
        removeItem: () => Promise.reject(new Error('full')),
      },
    },
  );
  await failing.client.ready();
  failing.client.register({ a: 1 });
  failing.client.capture('works');
  expect(names(await failing.flushed())).toEqual(['works']);
  await failing.platform.advance(1_000);
  expect(failing.platform.warnings().join()).toContain('Storage failed');
  const hanging = startApp({}, { storage: { ...createPhone().storage, getItem: () => new Promise(() => {}) } });
  hanging.client.capture('waits');
  await hanging.platform.advance(5_000);
  expect(names(await hanging.flushed())).toEqual(['waits']);
});

/** A phone on which somebody was before, and whose storage then takes eight seconds to answer. */
async function slowPhone(before: (client: NativeClient) => void) {
  const fast = createPhone();
  const { client, platform } = startApp({}, fast);
  await client.ready();
  before(client);
  await client.shutdown();
  await platform.settle();
  const slow = createFakePlatform({ seed: 2 });
  const wait = () => new Promise<void>((resolve) => void slow.timers.set(resolve, 8_000));
  return { fast, slow: startApp({}, createPhone(fast.stored, wait), slow) };
}

test('if storage responds too late the person is known at the next start', async () => {
  const { fast, slow } = await slowPhone((client) => {
    client.register({ plan: 'pro' });
    client.identify('user-123');
  });
  slow.client.capture('early');
  await slow.platform.advance(6_000);
  slow.client.capture('before the answer');
  await slow.platform.advance(4_000);
  slow.client.capture('after it');
  expect(names(await slow.flushed())).toEqual(['early', 'before the answer', 'after it']);
  await slow.client.shutdown();
  await slow.platform.settle();
  const next = startApp({}, fast, createFakePlatform({ seed: 3 }));
  await next.client.ready();
  expect(next.client.getDistinctId()).toBe('user-123');
  expect(next.client.capture('again')?.properties).toMatchObject({ plan: 'pro' });
});

test('events that were stored before, and events captured until storage responds too late, are both sent', async () => {
  const fast = createPhone();
  const first = startApp({}, fast);
  await first.client.ready();
  first.platform.answer('/batch/', 'fail');
  first.client.capture('from the first run');
  await first.platform.advance(1_000);
  const slow = createFakePlatform({ seed: 2 });
  const wait = () => new Promise<void>((resolve) => void slow.timers.set(resolve, 8_000));
  const second = startApp({}, createPhone(fast.stored, wait), slow);
  slow.answer('/batch/', 'fail');
  await slow.advance(6_000);
  second.client.capture('from the second run');
  await slow.advance(60_000);
  // the phone kills the app
  const third = startApp({}, fast, createFakePlatform({ seed: 3 }));
  await third.client.ready();
  expect(names(await third.flushed()).sort()).toEqual(['from the first run', 'from the second run']);
});

test('a phone that hides an app without a network loses none of its events', async () => {
  const phone = createPhone();
  const { client, platform } = startApp({}, phone);
  await client.ready();
  phone.setConnected(false);
  for (const name of ['a', 'b', 'c']) client.capture(name);
  phone.become('background');
  await platform.settle();
  expect(platform.requestsTo('/batch/')).toEqual([]);
  const next = startApp({}, phone, createFakePlatform({ seed: 2 }));
  await next.client.ready();
  expect(names(await next.flushed())).toEqual(['a', 'b', 'c']);
});

test('an event that waits for storage has a copy of its properties', async () => {
  const { client, flushed } = startApp();
  const cart = { items: ['tea'] };
  client.capture('added', { cart });
  cart.items.push('cup');
  await client.ready();
  expect((await flushed())[0]?.properties).toMatchObject({ cart: { items: ['tea'] } });
});

test('CON-5 an opt-out that storage returns too late applies from then on, and over restarts', async () => {
  const { fast, slow } = await slowPhone((client) => client.optOut());
  await slow.platform.advance(6_000);
  slow.client.capture('before the answer');
  await slow.platform.advance(1_500);
  expect(slow.client.isOptedOut()).toBe(false);
  await slow.platform.advance(500);
  expect(slow.client.isOptedOut()).toBe(true);
  slow.client.capture('after it');
  await slow.platform.advance(60_000);
  expect(slow.sent()).toEqual([]);
  const next = startApp({}, fast, createFakePlatform({ seed: 3 }));
  await next.client.ready();
  expect(next.client.isOptedOut()).toBe(true);
});

test('empty storage that responds late is written to from then on', async () => {
  const platform = createFakePlatform();
  const stored = new Map<string, string>();
  const wait = () => new Promise<void>((resolve) => void platform.timers.set(resolve, 8_000));
  const { client } = startApp({}, createPhone(stored, wait), platform);
  await platform.advance(6_000);
  const id = client.getDistinctId();
  expect([id, stored.size]).toEqual([expect.stringMatching(/.+/), 0]);
  await platform.advance(4_000);
  const next = startApp({}, createPhone(stored), createFakePlatform({ seed: 2 }));
  await next.client.ready();
  expect(next.client.getDistinctId()).toBe(id);
});

test('writes complete in order, also if storage takes longer for the first one', async () => {
  const phone = createPhone();
  const platform = createFakePlatform();
  let waits = 3_000;
  const storage = {
    ...phone.storage,
    setItem: async (key: string, text: string) => {
      const first = waits;
      waits = 0;
      if (first) await new Promise<void>((resolve) => void platform.timers.set(resolve, first));
      phone.stored.set(key, text);
    },
  };
  const { client } = startApp({}, { ...phone, storage }, platform);
  await client.ready();
  await platform.advance(1_000);
  client.register({ plan: 'pro' });
  await platform.advance(10_000);
  const next = startApp({}, phone, createFakePlatform({ seed: 2 }));
  await next.client.ready();
  expect(next.client.getDistinctId()).toBe(client.getDistinctId());
  expect(next.client.capture('a')?.properties).toMatchObject({ plan: 'pro' });
});

test('stored values that cannot be parsed count as absent', async () => {
  const stored = new Map([['tidemark.tmk_0123456789abcdef', '{"tm.tmk']]);
  const { client } = startApp({}, createPhone(stored));
  await client.ready();
  expect(client.getDistinctId()).not.toBe('');
});
