import { describe, expect, test } from 'vitest';
import type { Start } from '../drivers/driver.js';
import { startWithFlags } from '../drivers/seen.js';

export function setupContract(start: Start): void {
  describe('setup', () => {
    test('SET-1 it is synchronous, and the client has the ids of the person', async () => {
      let early = '';
      const { client } = await start({}, { client: (made) => (early = made.getDistinctId()) });
      expect(client.isInitialized).toBe(true);
      expect(early).not.toBe('');
      expect(client.getDistinctId()).toBe(early);
    });

    test('SET-2 STO-1 SUP-2 stored ids, super properties, consent and flags are restored before the first call', async () => {
      const first = await startWithFlags(start, { beta: 'blue' }, {}, { bootstrap: { distinctId: 'anon-123' } });
      first.client.register({ plan: 'pro' });
      first.client.optIn();
      await first.platform.advance(1_000);
      const read: unknown[] = [];
      const next = await first.restart(
        { bootstrap: {} },
        {
          client: (made) => {
            read.push(made.getDistinctId(), made.getConsentStatus(), made.getFeatureFlag('beta', { tracking: false }));
            made.capture('first');
          },
        },
      );
      expect(read).toEqual(['anon-123', 'granted', 'blue']);
      expect(next.queued).toMatchObject([{ event: 'first', distinct_id: 'anon-123', properties: { plan: 'pro' } }]);
    });

    test.each(['', '   ', 'tms_secret', 'phx_secret'])(
      'SET-4 CON-6 SES-4 the key "%s" is refused with one clear message',
      async (apiKey) => {
        const { client, platform, queued } = await start({}, { apiKey });
        client.capture('a');
        client.identify('u');
        client.setPersonProperties({ a: 1 });
        await client.flush();
        await platform.advance(60_000);
        expect(client.isInitialized).toBe(false);
        expect(client.isOptedOut()).toBe(true);
        expect(client.getSessionId()).toBe('');
        expect([queued, platform.requests]).toEqual([[], []]);
        expect(platform.logged.filter(({ level }) => level === 'error')).toHaveLength(1);
      },
    );

    test('SET-5 debug mode is switched on and off at run time, and sends nothing', async () => {
      const { client, platform, queued } = await start({ disable_flags: true });
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
      client.getFeatureFlag('x');
      expect(lines()).toBe(2);
      await platform.advance(60_000);
      expect([queued, platform.requests]).toEqual([[], []]);
    });
  });
}
