import { describe, expect, test } from 'vitest';
import type { Start } from '../drivers/driver.js';
import { flagRequests } from '../drivers/seen.js';

const UUID = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

export function identityContract(start: Start): void {
  describe('the ids of a person', () => {
    test('IDN-1 IDN-3 IDN-6 the distinct id is the stored anonymous id until identify, which does not change the anonymous id', async () => {
      const first = await start();
      const { client, platform } = first;
      const anonymous = client.getAnonymousId();
      expect(anonymous).toMatch(UUID);
      expect(client.getDistinctId()).toBe(anonymous);
      expect([...platform.stored.values()].join()).toContain(anonymous);
      client.identify('user-123');
      expect([client.getDistinctId(), client.getAnonymousId()]).toEqual(['user-123', anonymous]);
      await platform.advance(1_000);
      const next = await first.restart();
      expect([next.client.getDistinctId(), next.client.getAnonymousId()]).toEqual(['user-123', anonymous]);
    });

    test('IDN-4 IDN-5 IDN-6 the device id survives identify, reset and restart, until a new one is requested', async () => {
      const first = await start();
      const { client, platform } = first;
      const [device, anonymous] = [client.getDeviceId(), client.getAnonymousId()];
      expect(device).toMatch(UUID);
      client.identify('user-123');
      client.reset();
      expect(client.getDeviceId()).toBe(device);
      expect(client.getAnonymousId()).not.toBe(anonymous);
      client.reset(true);
      const another = client.getDeviceId();
      expect(another).not.toBe(device);
      await platform.advance(1_000);
      expect((await first.restart()).client.getDeviceId()).toBe(another);
    });

    test('IDN-6 reading ids sends and changes nothing', async () => {
      const { client, platform, queued } = await start({ disable_flags: true });
      const ids = () => [client.getDistinctId(), client.getAnonymousId(), client.getDeviceId(), client.getSessionId()];
      expect(ids()).toEqual(ids());
      await platform.advance(60_000);
      expect([queued, platform.requests]).toEqual([[], []]);
    });
  });

  describe('identify', () => {
    test('IDN-7 IDN-12 it queues one $identify, does not change the session and loads flags', async () => {
      const { client, platform, queued } = await start();
      await platform.advance(100);
      const [anonymous, session, before] = [client.getAnonymousId(), client.getSessionId(), flagRequests(platform)];
      client.identify('user-123', { email: 'a@b.c' }, { first: 1 });
      await platform.advance(100);
      expect(queued).toMatchObject([
        {
          event: '$identify',
          distinct_id: 'user-123',
          properties: {
            $anon_distinct_id: anonymous,
            $set: { email: 'a@b.c' },
            $set_once: { first: 1 },
            $is_identified: true,
            $process_person_profile: true,
            $session_id: session,
          },
        },
      ]);
      expect(client.getDistinctId()).toBe('user-123');
      expect(flagRequests(platform)).toBe(before + 1);
      expect(client.getSessionId()).toBe(session);
    });

    test.each(['', '  ', 'undefined', 'NULL', '[object Object]', undefined, null, {}])(
      'IDN-9 the id %s is refused, and nothing changes',
      async (id) => {
        const { client, platform, queued } = await start();
        const before = client.getDistinctId();
        Reflect.apply(client.identify, client, [id]);
        expect(client.getDistinctId()).toBe(before);
        expect(queued).toEqual([]);
        expect(platform.warnings()).toHaveLength(1);
      },
    );

    test('IDN-10 with the anonymous id it identifies this id, by one $set', async () => {
      const { client, platform, queued } = await start();
      await platform.advance(100);
      const before = flagRequests(platform);
      client.identify(client.getAnonymousId());
      client.capture('a');
      await platform.advance(100);
      expect(queued.map(({ event }) => event)).toEqual(['$set', 'a']);
      expect(queued[1]?.properties['$is_identified']).toBe(true);
      // browsers add the referrer, which flags may depend on
      const { $set, $set_once } = queued[0]?.properties ?? {};
      const hasProperties = Object.keys({ ...Object($set), ...Object($set_once) }).length > 0;
      expect(flagRequests(platform)).toBe(before + (hasProperties ? 1 : 0));
    });

    test('IDN-10 PER-2 it is captured if the same properties were sent before', async () => {
      const { client, queued } = await start();
      client.setPersonProperties({ a: 1 });
      client.identify(client.getAnonymousId(), { a: 1 });
      client.setPersonProperties({ a: 1 });
      expect(queued.map(({ event, properties }) => [event, properties['$is_identified']])).toEqual([
        ['$set', false],
        ['$set', true],
      ]);
    });

    test('IDN-12 PER-2 other methods do not send its properties again', async () => {
      const { client, queued } = await start();
      client.identify('user-123', { a: 1 });
      client.setPersonProperties({ a: 1 });
      expect(queued.map(({ event }) => event)).toEqual(['$identify']);
    });

    test('IDN-10 PER-2 new properties of the same person are sent once, without loading flags', async () => {
      const { client, platform, queued } = await start();
      client.identify('user-123', { plan: 'free' });
      await platform.advance(100);
      const before = flagRequests(platform);
      client.identify('user-123', { plan: 'free' });
      client.identify('user-123');
      client.identify('user-123', { plan: 'pro', age: 3 });
      client.identify('user-123', { age: 3, plan: 'pro' });
      await platform.advance(100);
      expect(queued.map(({ event }) => event)).toEqual(['$identify', '$set']);
      expect(flagRequests(platform)).toBe(before);
    });

    test('IDN-11 RST-2 another person is ignored, and accepted after a reset', async () => {
      const { client, platform, queued } = await start();
      client.identify('one');
      client.identify('two');
      expect(client.getDistinctId()).toBe('one');
      expect(platform.warnings()).toHaveLength(1);
      client.reset();
      client.identify('two');
      expect(queued.map(({ event, distinct_id }) => [event, distinct_id])).toEqual([
        ['$identify', 'one'],
        ['$identify', 'two'],
      ]);
    });

    test.each([{ person_profiles: 'never' }, { opt_out_by_default: true }] as const)(
      'IDN-13 PER-5 GRP-3 CON-6 with %j it and related methods do nothing',
      async (options) => {
        const { client, queued } = await start(options);
        client.identify('u', { a: 1 });
        client.alias('u');
        client.setPersonProperties({ a: 1 });
        client.createPersonProfile();
        client.group('company', 'c', { a: 1 });
        expect(client.getDistinctId()).toBe(client.getAnonymousId());
        expect(client.getGroups()).toEqual({});
        expect(queued).toEqual([]);
      },
    );

    test('IDN-13 with reuseAnonymousId it sends no anonymous id, and the id never changes', async () => {
      const { client, queued } = await start({ reuseAnonymousId: true });
      const anonymous = client.getAnonymousId();
      client.identify('u');
      expect(queued[0]?.properties).not.toHaveProperty('$anon_distinct_id');
      client.reset();
      expect(client.getAnonymousId()).toBe(anonymous);
    });
  });

  describe('alias', () => {
    test('IDN-14 it queues $create_alias, gives the person a profile, and does not change the ids', async () => {
      const { client, queued } = await start();
      const anonymous = client.getDistinctId();
      client.alias('user-123');
      expect(queued).toMatchObject([
        {
          event: '$create_alias',
          distinct_id: anonymous,
          properties: { alias: 'user-123', distinct_id: anonymous, $process_person_profile: true, $is_identified: false },
        },
      ]);
      expect([client.getDistinctId(), client.getAnonymousId()]).toEqual([anonymous, anonymous]);
    });

    test('IDN-16 the current id is refused', async () => {
      const { client, platform, queued } = await start();
      client.alias(client.getDistinctId());
      expect(queued).toEqual([]);
      expect(platform.warnings()).toHaveLength(1);
    });
  });
}
