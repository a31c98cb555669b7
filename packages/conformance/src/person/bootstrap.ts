import { describe, expect, test } from 'vitest';
import type { Start } from '../drivers/driver.js';

export function bootstrapContract(start: Start): void {
  describe('a bootstrapped identity', () => {
    test('BST-4 it sets the anonymous id of a new device only', async () => {
      const first = await start({ bootstrap: { distinctId: 'anon-1' } });
      expect(first.client.getAnonymousId()).toBe('anon-1');
      expect(first.client.capture('a')?.properties['$is_identified']).toBe(false);
      await first.platform.advance(1_000);
      const next = await first.restart({ bootstrap: { distinctId: 'anon-2' } });
      expect(next.client.getDistinctId()).toBe('anon-1');
    });

    test('BST-5 BST-15 an identified one is the person of a new device, but not its device or anonymous id', async () => {
      const { client, queued } = await start({ bootstrap: { distinctID: 'user-1', isIdentifiedID: true } });
      expect(client.getDistinctId()).toBe('user-1');
      expect(client.getDeviceId()).not.toBe('user-1');
      expect(client.getAnonymousId()).not.toBe('user-1');
      expect(queued).toEqual([]);
      expect(client.capture('a')?.properties['$is_identified']).toBe(true);
    });

    test('BST-6 it identifies the stored anonymous person with one event', async () => {
      const first = await start();
      const anonymous = first.client.getAnonymousId();
      await first.platform.advance(1_000);
      const { client, queued } = await first.restart({ bootstrap: { distinctId: 'user-1', isIdentifiedId: true } });
      expect(client.getDistinctId()).toBe('user-1');
      expect(queued).toMatchObject([{ event: '$identify', distinct_id: 'user-1', properties: { $anon_distinct_id: anonymous } }]);
    });

    test('BST-6 while opted out it identifies without an event', async () => {
      const first = await start();
      await first.platform.advance(1_000);
      first.client.optOut();
      await first.platform.advance(1_000);
      const { client, queued } = await first.restart({ bootstrap: { distinctId: 'user-1', isIdentifiedId: true } });
      expect(client.getDistinctId()).toBe('user-1');
      client.optIn();
      expect(client.capture('a')?.properties['$is_identified']).toBe(true);
      expect(queued.map(({ event }) => event)).toEqual(['a']);
    });

    test('BST-7 it does not replace another identified person', async () => {
      const first = await start();
      first.client.identify('user-1');
      await first.platform.advance(1_000);
      const { client, platform } = await first.restart({ bootstrap: { distinctId: 'user-2', isIdentifiedId: true } });
      expect(client.getDistinctId()).toBe('user-1');
      expect(platform.warnings()).toHaveLength(1);
    });

    test('BST-8 if it equals the stored anonymous id it identifies without an event', async () => {
      const first = await start();
      await first.platform.advance(1_000);
      const same = { distinctId: first.client.getAnonymousId(), isIdentifiedId: true };
      const { client, queuedAs } = await first.restart({ bootstrap: same });
      expect(client.capture('a')?.properties['$is_identified']).toBe(true);
      expect(queuedAs('$identify')).toEqual([]);
    });

    test('BST-14 BST-15 it can have a session, whose start is in a valid session id', async () => {
      // begun at noon, twelve hours before
      const sessionId = '01941c96-4e00-7000-8000-000000000001';
      const visit = await start({ bootstrap: { sessionId }, disable_flags: true });
      const ids: unknown[] = [];
      for (let halfHours = 0; halfHours < 26; halfHours++) {
        ids.push(visit.client.capture('a')?.properties['$session_id']);
        await visit.platform.advance(29 * 60_000);
      }
      expect(ids.filter((id) => id === sessionId)).toHaveLength(25);
      expect((await start({ bootstrap: { sessionID: sessionId } })).client.getSessionId()).toBe(sessionId);
      const { client, platform } = await start({ bootstrap: { sessionID: 'not-a-uuid' } });
      expect(['', 'not-a-uuid']).not.toContain(client.getSessionId());
      expect(platform.logged.filter(({ level }) => level === 'error')).toHaveLength(1);
    });

    test('BST-15 an empty one is ignored', async () => {
      const { client, queued } = await start({ bootstrap: {} });
      expect(client.getDistinctId()).toBe(client.getAnonymousId());
      expect(client.getFeatureFlags()).toEqual({});
      expect(queued).toEqual([]);
    });
  });
}
