import { flagsAnswer } from '@tidemark/client/testing';
import { describe, expect, test } from 'vitest';
import type { Start } from '../drivers/driver.js';
import { batches, flagRequests, lastFlagRequest, startWithFlags } from '../drivers/seen.js';

export function resetContract(start: Start): void {
  describe('reset', () => {
    test('RST-1 the person and the session are new, without groups and super properties', async () => {
      const { client } = await start();
      client.identify('user-123');
      client.group('company', 'c');
      client.register({ plan: 'pro' });
      const [anonymous, session] = [client.getAnonymousId(), client.getSessionId()];
      client.reset();
      expect(client.getAnonymousId()).not.toBe(anonymous);
      expect(client.getDistinctId()).toBe(client.getAnonymousId());
      expect(client.getSessionId()).not.toBe(session);
      const after = client.capture('after')?.properties;
      expect(after).toMatchObject({ $is_identified: false, $process_person_profile: false });
      for (const name of ['plan', '$groups']) expect(after).not.toHaveProperty(name);
    });

    test('RST-2 FLG-23 it sends no event, leaves the queue, removes flags and their properties, and loads flags again', async () => {
      const { client, platform, queued } = await startWithFlags(start, { beta: true });
      client.setPersonPropertiesForFlags({ plan: 'pro' });
      client.setGroupPropertiesForFlags({ company: { plan: 'pro' } });
      client.capture('before');
      await platform.advance(100);
      platform.answer('/flags/', { body: flagsAnswer({ beta: false }) });
      const requestCount = flagRequests(platform);
      client.reset();
      expect(client.getFeatureFlags()).toEqual({});
      await platform.advance(100);
      expect(flagRequests(platform)).toBe(requestCount + 1);
      expect(lastFlagRequest(platform)).toMatchObject({ distinct_id: client.getDistinctId() });
      expect(lastFlagRequest(platform)).toHaveProperty('person_properties', {});
      expect(lastFlagRequest(platform)).toHaveProperty('group_properties', {});
      expect(client.getFeatureFlags()).toEqual({ beta: false });
      expect(queued.map(({ event }) => event)).toEqual(['before']);
      await client.flush();
      expect(batches(platform)).toEqual([['before']]);
    });

    test('RST-3 it can start with a bootstrapped identity', async () => {
      const { client } = await start();
      client.reset({ bootstrap: { distinctId: 'custom-anon-id', isIdentifiedId: false } });
      expect(client.getDistinctId()).toBe('custom-anon-id');
      expect(client.capture('a')?.properties['$is_identified']).toBe(false);
      client.reset({ bootstrap: { distinctID: 'known', isIdentifiedID: true } });
      expect(client.capture('a')).toMatchObject({ distinct_id: 'known', properties: { $is_identified: true } });
      expect(client.getAnonymousId()).not.toBe('known');
    });

    test.each(['optIn', 'optOut'] as const)('RST-5 what %s set stays', async (choice) => {
      const { client } = await start();
      client[choice]();
      const before = client.getConsentStatus();
      client.reset();
      expect(client.getConsentStatus()).toBe(before);
    });
  });
}
