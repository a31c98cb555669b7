import { describe, expect, test } from 'vitest';
import type { Start } from '../drivers/driver.js';
import { batches } from '../drivers/seen.js';

export function consentContract(start: Start): void {
  describe('consent', () => {
    test('CON-1 CON-4 CON-6 capture is on by default, and an opt-out stops sending and storing at once', async () => {
      const { client, platform, queued } = await start({ disable_flags: true });
      expect(client.isOptedOut()).toBe(false);
      client.optOut();
      client.optOut();
      expect(client.isOptedOut()).toBe(true);
      await platform.advance(1_000);
      const writes = platform.writes.length;
      client.capture('a');
      client.capture('b', {}, { send_instantly: true });
      client.identify('u');
      client.group('company', 'c');
      client.alias('x');
      client.captureException(new Error('no'));
      client.register({ plan: 'pro' });
      await platform.advance(60_000);
      expect([queued, platform.requests]).toEqual([[], []]);
      expect(platform.writes.length).toBe(writes);
    });

    test('CON-4 CON-5 a stored opt-out is in force before the first event of the next start', async () => {
      const first = await start();
      first.client.optOut();
      await first.platform.advance(1_000);
      const early: boolean[] = [];
      const { client, platform, queued } = await first.restart(
        {},
        {
          client: (made) => {
            early.push(made.isOptedOut());
            made.capture('first');
          },
        },
      );
      await platform.advance(60_000);
      expect([...early, client.isOptedOut()]).toEqual([true, true]);
      expect([queued, platform.requests]).toEqual([[], []]);
    });

    test('CON-2 an opt-in resumes capture, also after a restart, and dropped events stay dropped', async () => {
      const first = await start({ opt_out_by_default: true });
      first.client.capture('lost');
      first.client.optIn();
      expect(first.client.isOptedOut()).toBe(false);
      first.client.capture('kept');
      first.client.register({ plan: 'pro' });
      expect(first.queued.map(({ event }) => event)).toEqual(['kept']);
      await first.platform.advance(1_000);
      const { client } = await first.restart();
      expect(client.isOptedOut()).toBe(false);
      // storage is used again after opting in
      expect(client.getDistinctId()).toBe(first.client.getDistinctId());
      expect(client.capture('later')?.properties).toMatchObject({ plan: 'pro' });
    });

    test('CON-3 an opt-out with clear removes identity and super properties', async () => {
      const first = await start({ disable_flags: true });
      first.client.identify('user-1');
      first.client.register({ plan: 'professional' });
      await first.platform.advance(1_000);
      first.client.optOut({ clear: true });
      await first.platform.advance(1_000);
      expect([...first.platform.stored.values()].join()).not.toMatch(/user-1|professional/);
      const { client } = await first.restart();
      client.optIn();
      expect(client.getDistinctId()).not.toBe('user-1');
      expect(client.capture('a')?.properties).not.toHaveProperty('plan');
    });

    test('CON-1 events queued before an opt-out wait for an opt-in, also over a restart, and are then sent', async () => {
      const first = await start({ disable_flags: true });
      first.client.capture('before');
      first.client.optOut();
      await first.client.flush();
      first.platform.hide();
      await first.platform.advance(60_000);
      expect(first.platform.requests).toEqual([]);
      const { client, platform } = await first.restart();
      await client.flush();
      await platform.advance(60_000);
      expect(platform.requests).toEqual([]);
      client.optIn();
      await platform.settle();
      expect(batches(platform)).toEqual([['before']]);
    });
  });
}
