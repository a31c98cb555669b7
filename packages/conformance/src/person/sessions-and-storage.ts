import type { SessionChange } from '@tidemark/client';
import { describe, expect, test } from 'vitest';
import type { Start } from '../drivers/driver.js';
import { batchesOfEvents } from '../drivers/seen.js';

const MINUTE = 60_000;
/** Where the clock begins. */
const NOW = Date.UTC(2025, 0, 1);

export function sessionsAndStorageContract(start: Start): void {
  describe('sessions', () => {
    test('SES-1 SES-2 every event has the session, which ends after half an hour without activity', async () => {
      const { client, platform } = await start({ disable_flags: true });
      const id = client.getSessionId();
      expect(id).not.toBe('');
      expect(client.getSessionId()).toBe(id);
      for (let count = 0; count < 5; count++) {
        expect(client.capture('a')?.properties['$session_id']).toBe(id);
        await platform.advance(29 * MINUTE);
      }
      client.capture('a');
      await platform.advance(10 * MINUTE);
      expect(client.getSessionId()).toBe(id);
      await platform.advance(20 * MINUTE);
      expect(client.getSessionId()).not.toBe(id);
    });

    test('SES-3 SES-4 they end after a day and on request, and notify listeners', async () => {
      const { client, platform } = await start({ disable_flags: true });
      const changes: SessionChange[] = [];
      client.on('session', (change) => changes.push(change));
      const ids = new Set([client.getSessionId()]);
      for (let count = 0; count < 49; count++) {
        await platform.advance(29.5 * MINUTE);
        ids.add(String(client.capture('a')?.properties['$session_id']));
      }
      expect(ids.size).toBe(2);
      client.resetSessionId();
      expect(ids.has(client.getSessionId())).toBe(false);
      expect(changes.map(({ reason }) => reason).slice(-2)).toEqual(['max_length', 'reset']);
    });
  });

  describe('storage', () => {
    test('STO-1 IDN-3 the ids of the person survive a restart', async () => {
      const first = await start();
      const id = first.client.getAnonymousId();
      await first.platform.advance(1_000);
      expect((await first.restart()).client.getAnonymousId()).toBe(id);
    });

    test('STO-2 it may fail: calls do not throw, values are in memory, and one warning is logged', async () => {
      const { client, platform, queued } = await start({ disable_flags: true });
      platform.storeFails = true;
      client.register({ plan: 'pro' });
      client.capture('a');
      await platform.advance(10_000);
      expect(queued.at(-1)?.properties['plan']).toBe('pro');
      expect(platform.warnings().length).toBeGreaterThan(0);
    });

    test('STO-3 named clients have separate storage', async () => {
      const first = await start({ disable_flags: true });
      const id = first.client.getAnonymousId();
      first.client.register({ plan: 'pro' });
      await first.platform.advance(1_000);
      const { client } = await first.restart({ name: 'second' });
      expect(client.getAnonymousId()).not.toBe(id);
      expect(client.capture('a')?.properties).not.toHaveProperty('plan');
    });

    test.each(['{"a":5', '7', `{"start":${NOW},"last":${NOW}}`, '{"id":"x","start":null}'])(
      'STO-3 SES-4 broken values count as absent: %s',
      async (text) => {
        const first = await start({ disable_flags: true });
        first.client.capture('a');
        await first.platform.advance(1_000);
        for (const key of first.platform.stored.keys()) first.platform.stored.set(key, text);
        const { client, queued } = await first.restart();
        client.capture('b');
        for (const id of [client.getDistinctId(), client.getSessionId()]) expect(id).toMatch(/^[\da-f-]{36}$/);
        expect(queued.map(({ event }) => event)).toEqual(['b']);
      },
    );

    test('STO-4 RTY-4 unsent events survive a reset and a restart with their ids and times, for a week', async () => {
      const first = await start({ disable_flags: true });
      first.platform.answer('/batch/', 'fail');
      const event = first.client.capture('a');
      first.client.reset();
      await first.platform.advance(10_000);
      const next = await first.restart();
      await next.client.flush();
      expect(batchesOfEvents(next.platform)).toMatchObject([
        [{ event: 'a', uuid: event?.uuid, timestamp: event?.timestamp, distinct_id: event?.distinct_id }],
      ]);
      next.platform.answer('/batch/', 'fail');
      next.client.capture('old');
      await next.platform.advance(1_000);
      next.platform.setOnline(false);
      await next.platform.advance(8 * 24 * 60 * MINUTE);
      const late = await next.restart();
      await late.client.flush();
      expect(late.platform.requestsTo('/batch/')).toEqual([]);
    });
  });
}
