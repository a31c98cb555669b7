import { flagsAnswer } from '@tidemark/client/testing';
import { describe, expect, test } from 'vitest';
import type { Start } from '../drivers/driver.js';
import { flagRequests, lastFlagRequest, reloadFlags, startWithFlags } from '../drivers/seen.js';

export function personFlagsContract(start: Start): void {
  describe('flags of the person', () => {
    test('FLG-4 FLC-1 a read of a known flag returns it and reports it once, for any way of reading', async () => {
      const { client, queuedAs } = await startWithFlags(start, { 'beta-ui': true }, { 'beta-ui': { a: 1 } });
      expect(client.getFeatureFlag('beta-ui')).toBe(true);
      client.isFeatureEnabled('beta-ui');
      client.getFeatureFlagResult('beta-ui');
      expect(queuedAs('$feature_flag_called')).toMatchObject([
        { properties: { $feature_flag: 'beta-ui', $feature_flag_response: true, $feature_flag_payload: { a: 1 } } },
      ]);
    });

    test('FLG-22 a read makes no request', async () => {
      const { client, platform } = await startWithFlags(start, { a: true, b: 'x' }, { b: 1 });
      const before = flagRequests(platform);
      client.isFeatureEnabled('a');
      client.getFeatureFlag('b');
      client.getFeatureFlagPayload('b');
      client.getFeatureFlags();
      client.getFeatureFlagsAndPayloads();
      await platform.advance(1_000);
      expect(flagRequests(platform)).toBe(before);
    });

    test('FLG-25 a distinct id argument is ignored, and the options after it are used', async () => {
      const { client } = await startWithFlags(start, { on: true });
      expect(client.isFeatureEnabled('on', 'somebody')).toBe(true);
      expect(client.isFeatureEnabled('none', 'somebody', { defaultValue: true })).toBe(true);
    });

    test('FLG-15 HTP-4 a reload replaces them, and a reload that fails with 503 does not', async () => {
      const started = await startWithFlags(start, { a: true, b: true });
      await reloadFlags(started, { body: flagsAnswer({ a: 'new' }) });
      expect(started.client.getFeatureFlags()).toEqual({ a: 'new' });
      expect(lastFlagRequest(started.platform)).toMatchObject({ distinct_id: started.client.getDistinctId() });
      const before = flagRequests(started.platform);
      await reloadFlags(started, { status: 503 });
      await started.platform.advance(10_000);
      expect(flagRequests(started.platform)).toBe(before + 1);
      expect(started.client.getFeatureFlags()).toEqual({ a: 'new' });
    });

    test('FLG-16 FLG-21 the request has identity, groups and properties, once for many changes, also after a restart', async () => {
      const first = await startWithFlags(start, {});
      const { client, platform, queued } = first;
      const before = flagRequests(platform);
      client.group('company', 'company-123');
      client.setPersonPropertiesForFlags({ plan: 'free' });
      client.setPersonPropertiesForFlags({ plan: 'pro', age: 3 });
      client.setGroupPropertiesForFlags({ company: { plan: 'pro' } });
      await platform.advance(1_000);
      expect(flagRequests(platform)).toBe(before + 1);
      const anonymous = client.getAnonymousId();
      expect(lastFlagRequest(platform)).toMatchObject({
        distinct_id: anonymous,
        groups: { company: 'company-123' },
        person_properties: { plan: 'pro', age: 3 },
        group_properties: { company: { plan: 'pro' } },
        $anon_distinct_id: anonymous,
        $device_id: client.getDeviceId(),
      });
      expect(queued.map(({ event }) => event)).toEqual(['$groupidentify']);
      client.setPersonPropertiesForFlags({ quiet: true }, false);
      await platform.advance(1_000);
      expect(flagRequests(platform)).toBe(before + 1);
      const next = await first.restart();
      await next.platform.advance(50);
      expect(lastFlagRequest(next.platform)).toMatchObject({ person_properties: { plan: 'pro', age: 3, quiet: true } });
    });

    test('FLG-16 with reuseAnonymousId the request has no anonymous id', async () => {
      const { client, platform } = await startWithFlags(start, {}, {}, { reuseAnonymousId: true });
      client.identify('user-123');
      await platform.advance(50);
      expect(lastFlagRequest(platform)).toMatchObject({ distinct_id: 'user-123' });
      expect(lastFlagRequest(platform)).not.toHaveProperty('$anon_distinct_id');
    });

    test('FLG-21 a failed reload does not remove the properties', async () => {
      const started = await startWithFlags(start, {});
      started.platform.answer('/flags/', { status: 503 });
      started.client.setPersonPropertiesForFlags({ plan: 'pro' });
      await started.platform.advance(1_000);
      await reloadFlags(started, { body: flagsAnswer({}) });
      expect(lastFlagRequest(started.platform)).toMatchObject({ person_properties: { plan: 'pro' } });
    });

    test('FLG-23 BST-10 a response with errors is merged, and flags survive a restart', async () => {
      const first = await startWithFlags(start, { a: true, b: true }, { b: 1 });
      await reloadFlags(first, { body: flagsAnswer({ a: false }, {}, { errorsWhileComputingFlags: true }) });
      expect(first.client.getFeatureFlags()).toEqual({ a: false, b: true });
      await first.platform.advance(1_000);
      const { client } = await first.restart();
      expect(client.getFeatureFlags()).toEqual({ a: false, b: true });
      expect(client.getFeatureFlagPayload('b')).toBe(1);
    });

    test('FLG-23 after a quota error they stay, and are marked', async () => {
      const started = await startWithFlags(start, { a: true });
      await reloadFlags(started, { body: flagsAnswer({}, {}, { quotaLimited: ['feature_flags'] }) });
      expect(started.client.getFeatureFlags()).toEqual({ a: true });
      expect(started.client.flags.snapshot('a').status).toBe('stale');
    });
  });

  describe('listeners for flags', () => {
    test('FLG-13 FLG-14 they are called for every load, failed ones marked, and for the present state, until they are removed', async () => {
      const started = await startWithFlags(start, { a: true, off: false });
      const heard: unknown[] = [];
      started.client.onFeatureFlags(() => {
        throw new Error('mine');
      });
      const stop = started.client.onFeatureFlags((...args) => heard.push(args));
      await reloadFlags(started, { body: flagsAnswer({ b: 'x' }) });
      await reloadFlags(started, { status: 503 });
      stop();
      await reloadFlags(started, { body: flagsAnswer({}) });
      expect(heard).toEqual([
        [['a'], { a: true, off: false }, { error: false }],
        [['b'], { b: 'x' }, { error: false }],
        [['b'], { b: 'x' }, { error: true }],
      ]);
    });

    test('FLG-13 they are called if they were registered before the first load', async () => {
      const heard: unknown[] = [];
      const started = await start(
        {},
        {
          world: (platform) => platform.answer('/flags/', { body: flagsAnswer({ a: true }) }),
          client: (client) => void client.onFeatureFlags((active) => heard.push(active)),
        },
      );
      expect(heard).toEqual([]);
      await started.platform.advance(50);
      expect(heard).toEqual([['a']]);
    });
  });

  describe('$feature_flag_called of the person', () => {
    test('FLC-1 FLC-5 unchanged flags are not reported again after a reload or a restart', async () => {
      const started = await startWithFlags(start, { a: true }, { a: 1 });
      started.client.getFeatureFlag('a');
      await reloadFlags(started, { body: flagsAnswer({ a: true }, { a: 1 }) });
      started.client.getFeatureFlag('a');
      expect(started.queuedAs('$feature_flag_called')).toHaveLength(1);
    });

    test('FLC-5 a value with a new payload is reported again after a reload', async () => {
      const started = await startWithFlags(start, { a: true }, { a: 1 });
      started.client.getFeatureFlag('a');
      await reloadFlags(started, { body: flagsAnswer({ a: true }, { a: 2 }) });
      started.client.getFeatureFlag('a');
      expect(started.queuedAs('$feature_flag_called')).toHaveLength(2);
    });

    test('FLC-7 a short report has the attribution of the person, and no other super properties', async () => {
      const body = flagsAnswer({ a: true }, {}, { minimalFlagCalledEvents: true });
      const { client, platform, queuedAs } = await start();
      const flag = { key: 'a', enabled: true, variant: null, metadata: { id: 1, version: 1, has_experiment: false } };
      client.register({ plan: 'pro', utm_source: 'mail', gclid: 'g' });
      client.group('company', 'c');
      platform.answer('/flags/', { body: { ...body, flags: { a: flag } } });
      client.reloadFeatureFlags();
      await platform.advance(50);
      client.getFeatureFlag('a');
      const [event] = queuedAs('$feature_flag_called');
      expect(event?.properties).toMatchObject({
        utm_source: 'mail',
        gclid: 'g',
        $groups: { company: 'c' },
        $session_id: client.getSessionId(),
        $process_person_profile: true,
        $feature_flag_has_experiment: false,
      });
      for (const name of ['plan', '$referrer', '$current_url', '$feature/a']) expect(event?.properties).not.toHaveProperty(name);
    });
  });
}
