import { describe, expect, test } from 'vitest';
import type { Start } from '../drivers/driver.js';
import { startWithFlags } from '../drivers/seen.js';

export function personCaptureContract(start: Start): void {
  describe('capture of a person', () => {
    test('CAP-1 CAP-8 CAP-9 the event has the ids, super properties, session and state of the person, and is returned', async () => {
      const { client, queued } = await start();
      client.register({ plan: 'pro' });
      client.group('company', 'company-123');
      const returned = client.capture('Signed Up', { source: 'ad' });
      expect(queued.at(-1)).toEqual(returned);
      expect(returned).toMatchObject({
        event: 'Signed Up',
        distinct_id: client.getDistinctId(),
        timestamp: '2025-01-01T00:00:00.000Z',
        properties: {
          source: 'ad',
          plan: 'pro',
          $session_id: client.getSessionId(),
          $is_identified: false,
          $groups: { company: 'company-123' },
        },
      });
    });

    test('CAP-7 $set and $set_once of the call are in the event', async () => {
      const { client } = await start();
      const event = client.capture('a', {}, { $set: { a: 1 }, $set_once: { b: 2 } });
      expect(event?.properties).toMatchObject({ $set: { a: 1 }, $set_once: { b: 2 } });
    });

    test('CAP-9 the event has the known flags by default', async () => {
      const { client } = await startWithFlags(start, { b: 'x', a: true, off: false });
      expect(client.capture('e')?.properties).toMatchObject({
        '$feature/a': true,
        '$feature/b': 'x',
        '$feature/off': false,
        $active_feature_flags: ['a', 'b'],
      });
      client.setConfig({ send_feature_flags: false });
      expect(client.capture('e')?.properties).not.toHaveProperty('$feature/a');
    });
  });

  describe('super properties', () => {
    test('SUP-1 SUP-3 they are overwritten, and removed by name', async () => {
      const { client } = await start();
      client.register({ plan: 'free', region: 'eu' });
      client.register({ plan: 'pro' });
      client.registerOnce({ plan: 'never', first: 1 });
      expect(client.capture('a')?.properties).toMatchObject({ plan: 'pro', region: 'eu', first: 1 });
      client.unregister('unknown');
      client.unregister('plan');
      const after = client.capture('b')?.properties;
      expect(after).toMatchObject({ region: 'eu' });
      expect(after).not.toHaveProperty('plan');
    });

    test('SUP-2 SUP-3 SUP-5 they and their removal survive a restart; those of the session do not', async () => {
      const first = await start();
      first.client.register({ plan: 'pro', region: 'eu' });
      first.client.registerForSession({ here: true });
      first.client.unregister('plan');
      first.client.unregister('here');
      expect(first.client.capture('a')?.properties).toMatchObject({ here: true });
      await first.platform.advance(1_000);
      const { client } = await first.restart();
      const event = client.capture('b')?.properties;
      expect(event).toMatchObject({ region: 'eu' });
      for (const name of ['plan', 'here']) expect(event).not.toHaveProperty(name);
    });

    test('SUP-4 properties of the event override them, and registering sends nothing', async () => {
      const { client, platform, queued } = await start({ disable_flags: true });
      client.register({ plan: 'free' });
      client.unregister('other');
      await platform.advance(60_000);
      expect([queued, platform.requests]).toEqual([[], []]);
      expect(client.capture('a', { plan: 'pro' })?.properties).toMatchObject({ plan: 'pro' });
    });
  });
}
