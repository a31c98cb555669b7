import { describe, expect, it } from 'vitest';
import { createClient } from './create-client.js';
import type { CapturedEvent } from './event.js';
import { withoutFlags } from './flags/without-flags.js';
import { isRecord } from './is-record.js';
import { createFakePlatform, startClient } from './testing/index.js';

describe('setup of the client', () => {
  it('a feature that throws in its setup does not stop the others (SET-4)', () => {
    const broken = {
      name: 'broken',
      setup: () => {
        throw new Error('no');
      },
    };
    const { client, queued, platform } = startClient({}, { features: [broken] });
    client.capture('a');
    expect(queued).toHaveLength(1);
    expect(platform.logged.some(({ level }) => level === 'error')).toBe(true);
  });

  it('debug() logs until it is switched off, also after a restart, and sends nothing (SET-5)', async () => {
    const { client, platform, queued, restart } = startClient({ disable_flags: true });
    const lines = () => platform.logged.filter(({ level }) => level === 'debug').length;
    client.getFeatureFlag('x');
    expect(lines()).toBe(0);
    client.debug();
    client.getFeatureFlag('x');
    expect(lines()).toBe(1);
    client.debug(false);
    client.getFeatureFlag('x');
    expect(lines()).toBe(1);
    client.debug(true);
    await platform.advance(1000);
    expect(queued).toEqual([]);
    expect(platform.requests).toEqual([]);
    const again = restart();
    again.client.getFeatureFlag('x');
    expect(again.platform.logged.some(({ level }) => level === 'debug')).toBe(true);
  });

  it('methods of a missing feature warn once', () => {
    const platform = createFakePlatform();
    const client = createClient('tmk_test', { disable_remote_config: true }, platform, [withoutFlags()]);
    expect(client.isFeatureEnabled('x')).toBeUndefined();
    expect(client.captureException(new Error('x'))).toBeUndefined();
    expect(client.isSessionReplayActive()).toBe(false);
    expect(client.flags.snapshot('x').value).toBeUndefined();
    expect(platform.warnings()).toHaveLength(2);
  });
});

describe('capture', () => {
  it('an invalid time is replaced, and so is an id that would fail the batch', () => {
    const { client, platform } = startClient();
    const event = client.capture('a', {}, { timestamp: 'yesterday', uuid: 'mine' });
    expect(event?.timestamp).toBe('2025-01-01T00:00:00.000Z');
    expect(event?.uuid).not.toBe('mine');
    expect(platform.warnings()).toHaveLength(1);
  });

  it('null is accepted for properties and options', () => {
    const { client, queued } = startClient();
    Reflect.apply(client.capture, client, ['a', null, null]);
    Reflect.apply(client.capture, client, ['b', {}, { timestamp: null }]);
    const timestamp = '2025-01-01T00:00:00.000Z';
    expect(queued).toMatchObject([
      { event: 'a', timestamp },
      { event: 'b', timestamp },
    ]);
  });

  it.each([
    ['a promise', async (event: CapturedEvent) => event],
    ['an event without properties', ({ properties: _, ...event }: CapturedEvent) => event],
    ['an event of nobody', (event: CapturedEvent) => ({ ...event, distinct_id: '' })],
  ])('an event is dropped if before_send returns %s, which would fail its batch', async (_, given) => {
    const { client, queued, platform } = startClient({ disable_flags: true });
    const losses: unknown[] = [];
    client.on('loss', (loss) => losses.push(loss));
    client.capture('good');
    Reflect.apply(client.setConfig, client, [{ before_send: given }]);
    client.capture('odd');
    await client.flush();
    expect(queued.map(({ event }) => event)).toEqual(['good']);
    expect(platform.requestsTo('/batch/')).toMatchObject([{ body: { batch: [{ event: 'good' }] } }]);
    expect(losses).toEqual([{ reason: 'before_send', count: 1 }]);
    expect(platform.warnings()).toHaveLength(1);
  });

  it('properties that are not an object are ignored', () => {
    const { client, queued } = startClient();
    Reflect.apply(client.capture, client, ['a', 'text']);
    expect(queued[0]?.properties).not.toHaveProperty('0');
  });

  it('capture never throws, for any arguments', async () => {
    const { client, platform, queued } = startClient({ disable_flags: true, flushAt: 1 });
    const circular: Record<string, unknown> = { big: 10n, fine: 1 };
    circular.self = circular;
    const hostile = {
      get trap(): string {
        throw new Error('no');
      },
    };
    expect(client.capture('a', hostile)).toBeUndefined();
    client.capture('b', { circular });
    await platform.settle();
    expect(queued).toHaveLength(1);
    expect(platform.requestsTo('/batch/')[0]?.body).toMatchObject({
      batch: [{ event: 'b', properties: { circular: { big: '10', fine: 1, self: '[circular]' } } }],
    });
  });

  it('very long texts are truncated and denied names removed', async () => {
    const { client, platform } = startClient({
      disable_flags: true,
      property_denylist: ['secret'],
      properties_string_max_length: 100,
    });
    client.capture('a', { secret: 1, long: 'x'.repeat(500), nested: { long: 'y'.repeat(500) } });
    await client.flush();
    expect(platform.requestsTo('/batch/')[0]?.body).toMatchObject({
      batch: [{ properties: { long: 'x'.repeat(100), nested: { long: 'y'.repeat(100) } } }],
    });
    expect(JSON.stringify(platform.requests[0]?.body)).not.toContain('secret');
  });

  it('properties of the event override super properties (SUP-4)', () => {
    const { client, queued } = startClient();
    client.register({ plan: 'free' });
    client.capture('a', { plan: 'pro' });
    expect(queued[0]?.properties.plan).toBe('pro');
  });

  it('registered properties are copied at every depth when they are registered', () => {
    const { client } = startClient();
    const cart = { items: ['tea'] };
    client.register({ cart });
    client.registerOnce({ once: cart });
    client.registerForSession({ session: cart });
    cart.items.push('cup');
    const was = { items: ['tea'] };
    expect(client.capture('a')?.properties).toMatchObject({ cart: was, once: was, session: was });
  });

  it('properties are copied at every depth when capture is called (SUP-4)', async () => {
    const { client, platform } = startClient({ disable_flags: true });
    const cart = { items: [{ name: 'tea', options: { size: 'L' } }], total: 10 };
    const mine: Record<string, unknown> = { plan: 'pro', cart };
    const $set = { address: { city: 'Paris' } };
    const $unset = ['phone'];
    client.capture('a', mine, { $set, $set_once: { first: cart }, $unset });
    mine['plan'] = 'changed later';
    cart.items.push({ name: 'cup', options: { size: 'S' } });
    if (cart.items[0]) cart.items[0].options.size = 'XXL';
    cart.total = 99;
    $set.address.city = 'Rome';
    $unset.push('name');
    await client.flush();
    const was = { items: [{ name: 'tea', options: { size: 'L' } }], total: 10 };
    expect(platform.requestsTo('/batch/')[0]?.body).toMatchObject({
      batch: [
        {
          properties: {
            plan: 'pro',
            cart: was,
            $set: { address: { city: 'Paris' } },
            $set_once: { first: was },
            $unset: ['phone'],
          },
        },
      ],
    });
  });

  it('hooks get a copy, so that their changes do not reach the caller', () => {
    const cart = { items: [{ name: 'tea', card: '4111' }] };
    const { client, queued } = startClient({
      before_send: (event) => {
        const copy: unknown = event.properties['cart'];
        for (const item of isRecord(copy) && Array.isArray(copy['items']) ? copy['items'] : []) delete item.card;
        return event;
      },
    });
    client.capture('a', { cart });
    expect(queued[0]?.properties['cart']).toEqual({ items: [{ name: 'tea' }] });
    expect(cart.items[0]?.card).toBe('4111');
  });

  it('a nested value that cannot be read is left out, and the others are sent', () => {
    const { client, queued } = startClient();
    const trap = {
      get now(): string {
        throw new Error('no');
      },
    };
    client.capture('a', { trap, at: new Date(0), fine: { a: [1] }, none: { toJSON: () => undefined } });
    expect(queued[0]?.properties).toMatchObject({ at: '1970-01-01T00:00:00.000Z', fine: { a: [1] } });
    expect([queued[0]?.properties['trap'], queued[0]?.properties['none']]).toEqual([undefined, undefined]);
  });

  it('a flood of events is limited and logged', async () => {
    const { client, queued, platform } = startClient({ rate_limiting: { events_per_second: 1, events_burst_limit: 3 } });
    const losses: unknown[] = [];
    client.on('loss', (loss) => losses.push(loss));
    for (let count = 0; count < 5; count++) client.capture('a');
    expect(queued).toHaveLength(3);
    expect(losses).toEqual([
      { reason: 'rate_limited', count: 1 },
      { reason: 'rate_limited', count: 1 },
    ]);
    await platform.advance(2000);
    client.capture('a');
    expect(queued).toHaveLength(4);
  });

  it('capture works after the clock of the device is set back', async () => {
    const { client, queued, platform } = startClient();
    client.capture('a');
    await platform.advance(-3_600_000);
    client.capture('b');
    client.capture('c');
    expect(queued.map(({ event }) => event)).toEqual(['a', 'b', 'c']);
  });
});
