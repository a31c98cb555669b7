import type { ClientOptions } from '@tidemark/client';
import { type FakeAnswer, type FakePlatform, flagsAnswer } from '@tidemark/client/testing';
import { describe, expect, test } from 'vitest';
import type { Common, StartCommon } from '../drivers/driver.js';
import { flagRequests, lastFlagRequest, startCommonWithFlags } from '../drivers/seen.js';

const called = ({ queued }: Common) => queued.filter(({ event }) => event === '$feature_flag_called');

export function flagsContract(start: StartCommon): void {
  const withFlags = (values: Record<string, boolean | string>, payloads?: Record<string, unknown>) =>
    startCommonWithFlags(start, values, payloads);

  describe('reading flags', () => {
    test('FLG-1 values of the server win over the default', async () => {
      const { isFeatureEnabled } = await withFlags({ on: true, off: false, many: 'variant-a' });
      expect(await isFeatureEnabled('on')).toBe(true);
      expect(await isFeatureEnabled('off', { defaultValue: true })).toBe(false);
      expect(await isFeatureEnabled('many', { defaultValue: false })).toBe(true);
    });

    test('FLG-2 a missing flag has the default, or undefined', async () => {
      const { isFeatureEnabled } = await withFlags({});
      expect(await isFeatureEnabled('none', { defaultValue: true })).toBe(true);
      expect(await isFeatureEnabled('none', { defaultValue: false })).toBe(false);
      expect(await isFeatureEnabled('none')).toBeUndefined();
    });

    test('FLG-3 FLG-4 with tracking off a read returns the value and reports nothing', async () => {
      const { queued, isFeatureEnabled, getFeatureFlag, getFeatureFlagResult } = await withFlags({ 'beta-ui': true });
      const quiet = { tracking: false };
      expect(await isFeatureEnabled('beta-ui', quiet)).toBe(true);
      expect(await getFeatureFlag('beta-ui', quiet)).toBe(true);
      expect(await getFeatureFlagResult('beta-ui', quiet)).toMatchObject({ enabled: true });
      expect(queued).toEqual([]);
    });

    test('FLG-5 FLG-9 a variant is a text, and part of the whole result', async () => {
      const payloads = { checkout: { cta: 'Try now' } };
      const { getFeatureFlag, getFeatureFlagResult } = await withFlags({ checkout: 'blue', off: false }, payloads);
      expect(await getFeatureFlag('checkout')).toBe('blue');
      expect(await getFeatureFlagResult('checkout')).toEqual({
        key: 'checkout',
        enabled: true,
        variant: 'blue',
        payload: { cta: 'Try now' },
      });
      const off = await getFeatureFlagResult('off');
      expect(off).toMatchObject({ key: 'off', enabled: false });
      expect(off).not.toHaveProperty('variant');
      expect(await getFeatureFlagResult('none')).toBeUndefined();
    });

    test('FLG-7 FLG-8 payloads are parsed, null if there is none, undefined for unknown flags, and never reported', async () => {
      const { queued, getFeatureFlagPayload } = await withFlags(
        { checkout: 'blue', bare: true },
        { checkout: { cta: 'Try now' } },
      );
      expect(await getFeatureFlagPayload('checkout')).toEqual({ cta: 'Try now' });
      expect(await getFeatureFlagPayload('bare')).toBeNull();
      expect(await getFeatureFlagPayload('none')).toBeUndefined();
      expect(queued).toEqual([]);
    });

    test('FLG-8 a payload that is not JSON is null, with a warning', async () => {
      const body = { flags: { odd: { key: 'odd', enabled: true, variant: null, metadata: { id: 1, payload: '{broken' } } } };
      const { platform, getFeatureFlagPayload } = await start({}, (world) => world.answer('/flags/', { body }));
      await platform.advance(50);
      expect(await getFeatureFlagPayload('odd')).toBeNull();
      expect(platform.warnings()).toHaveLength(1);
    });

    test('FLG-10 FLG-12 all values, and all payloads, are read without a report', async () => {
      const featureFlags = { checkout: 'blue', off: false, bare: true };
      const { queued, getFeatureFlags, getFeatureFlagsAndPayloads } = await withFlags(featureFlags, { checkout: 1 });
      expect(await getFeatureFlags()).toEqual(featureFlags);
      expect(await getFeatureFlagsAndPayloads()).toEqual({ featureFlags, featureFlagPayloads: { checkout: 1 } });
      expect(queued).toEqual([]);
      const none = await withFlags({});
      expect(await none.getFeatureFlagsAndPayloads()).toEqual({ featureFlags: {}, featureFlagPayloads: {} });
    });

    test.each([
      'fail',
      { status: 500 },
      { body: '<html>' },
      { body: [] },
      { body: { flags: { a: 3, b: null } } },
      { body: 'null' },
      { body: {} },
    ] as const)('FLG-24 no getter throws if the server says %j', async (answer) => {
      const { platform, ...client } = await start({ feature_flag_request_max_retries: 0 }, (world) =>
        world.answer('/flags/', answer),
      );
      await platform.advance(50);
      expect(await client.isFeatureEnabled('a', { defaultValue: true })).toBe(true);
      expect(await client.getFeatureFlag('a')).toBeUndefined();
      expect(await client.getFeatureFlagPayload('a')).toBeUndefined();
      expect(await client.getFeatureFlags()).toEqual({});
    });

    test('FLG-23 reset removes all flags', async () => {
      const { platform, reset, getFeatureFlags, load, loaded } = await withFlags({ a: true });
      expect(await getFeatureFlags()).toEqual({ a: true });
      platform.answer('/flags/', { status: 503 });
      reset();
      load();
      await platform.advance(1_000);
      expect(await loaded('a')).toBeUndefined();
    });
  });

  describe('properties for flags', () => {
    test('FLG-17 FLG-18 FLG-21 person properties for flags are merged, sent with every request, and removed on request', async () => {
      const { platform, queued, load, ...client } = await withFlags({ a: true });
      client.setPersonPropertiesForFlags({ plan: 'free', region: 'eu' });
      client.setPersonPropertiesForFlags({ plan: 'pro' });
      for (let count = 0; count < 2; count++) {
        load();
        await platform.advance(50);
        expect(lastFlagRequest(platform)).toMatchObject({ person_properties: { plan: 'pro', region: 'eu' } });
      }
      client.resetPersonPropertiesForFlags();
      load();
      await platform.advance(50);
      expect(JSON.stringify(lastFlagRequest(platform))).not.toContain('"plan"');
      expect(queued).toEqual([]);
    });

    test('FLG-19 FLG-20 group properties for flags are stored by type, and removed for one type or all', async () => {
      const { platform, load, ...client } = await withFlags({ a: true });
      const lastRequest = async () => {
        load();
        await platform.advance(50);
        return lastFlagRequest(platform);
      };
      client.setGroupPropertiesForFlags({ company: { plan: 'pro' }, team: { size: 3 } });
      expect(await lastRequest()).toMatchObject({ group_properties: { company: { plan: 'pro' }, team: { size: 3 } } });
      client.resetGroupPropertiesForFlags('team');
      expect(await lastRequest()).toMatchObject({ group_properties: { company: { plan: 'pro' } } });
      expect(JSON.stringify(lastFlagRequest(platform))).not.toContain('"size"');
      client.resetGroupPropertiesForFlags();
      expect(JSON.stringify(await lastRequest())).not.toContain('"plan"');
    });
  });

  describe('flag requests', () => {
    /** Loads flags once; `times`: milliseconds of each request since the first. */
    const ask = async (answers: FakeAnswer[], options: ClientOptions = {}) => {
      const started = await start(options, (world: FakePlatform) => world.answer('/flags/', ...answers));
      const { platform, load, loaded } = started;
      if (flagRequests(platform) === 0) await platform.advance(50);
      if (flagRequests(platform) === 0) load();
      await platform.advance(30_000);
      const requests = platform.requestsTo('/flags/');
      const times = requests.map(({ at }) => at - (requests[0]?.at ?? 0));
      return { ...started, requests, times, value: await loaded('a') };
    };
    const good: FakeAnswer = { body: flagsAnswer({ a: true }) };

    test.each<FakeAnswer>(['fail', { status: 502 }, { status: 504 }])(
      'HTP-3 HTP-4 HTP-6 after %j the same body is sent once more after at least 300 ms',
      async (failure) => {
        const { requests, times, value, queued } = await ask([failure, good]);
        expect(requests).toHaveLength(2);
        expect(times[1]).toBeGreaterThanOrEqual(300);
        expect(requests[1]).toMatchObject({ url: requests[0]?.url, body: requests[0]?.body });
        expect(value).toBe(true);
        expect(queued).toEqual([]);
      },
    );

    test.each([503, 500, 408, 429])('HTP-4 %i is not tried again', async (status) => {
      const { requests, value } = await ask([{ status }]);
      expect(requests).toHaveLength(1);
      expect(value).toBeUndefined();
    });

    test('HTP-5 the number of retries can be zero', async () => {
      expect((await ask(['fail'], { feature_flag_request_max_retries: 0 })).times).toEqual([0]);
    });

    test('HTP-5 the number of retries can be higher, each pause twice the last', async () => {
      const { times, value } = await ask(['fail', 'fail', good], { feature_flag_request_max_retries: 2 });
      expect(times).toEqual([0, 300, 900]);
      expect(value).toBe(true);
    });

    test('HTP-7 each attempt is aborted after 3 seconds, or the configured time', async () => {
      expect((await ask(['hang', good])).times).toEqual([0, 3_300]);
      expect((await ask(['hang', good], { feature_flag_request_timeout_ms: 1_000 })).times).toEqual([0, 1_300]);
    });
  });

  describe('$feature_flag_called', () => {
    test('FLC-1 it is queued at the first read, not again for the same value, and again for another', async () => {
      const started = await withFlags({ 'beta-ui': true });
      const { platform, load, loaded, getFeatureFlag, isFeatureEnabled } = started;
      await getFeatureFlag('beta-ui');
      await isFeatureEnabled('beta-ui');
      expect(called(started)).toMatchObject([{ properties: { $feature_flag: 'beta-ui', $feature_flag_response: true } }]);
      platform.answer('/flags/', { body: flagsAnswer({ 'beta-ui': false }) });
      load();
      await platform.advance(50);
      await loaded('beta-ui');
      await getFeatureFlag('beta-ui');
      expect(called(started).map(({ properties }) => properties['$feature_flag_response'])).toEqual([true, false]);
    });

    test('FLC-3 reset forgets which values were reported', async () => {
      const started = await withFlags({ 'beta-ui': true });
      await started.getFeatureFlag('beta-ui');
      started.reset();
      await started.platform.advance(50);
      await started.getFeatureFlag('beta-ui');
      expect(called(started)).toHaveLength(2);
    });

    test.each([
      [true, false, true],
      [true, true, false],
      [true, undefined, false],
      [undefined, false, false],
    ])(
      'FLC-6 FLC-7 if the server allows short reports (%j) and an experiment is %j, the report is short: %j',
      async (gate, experiment, short) => {
        const metadata = {
          id: 7,
          version: 2,
          payload: null,
          ...(experiment === undefined ? {} : { has_experiment: experiment }),
        };
        const flag = { key: 'a', enabled: true, variant: null, reason: { code: 'x', description: 'why' }, metadata };
        const body = { ...flagsAnswer({}), flags: { a: flag }, ...(gate ? { minimalFlagCalledEvents: true } : {}) };
        const started = await start({}, (world) => world.answer('/flags/', { body }));
        await started.platform.advance(50);
        await started.getFeatureFlag('a');
        const [event] = called(started);
        expect(event?.properties).toMatchObject({
          $feature_flag: 'a',
          $feature_flag_response: true,
          $feature_flag_id: 7,
          $feature_flag_version: 2,
          $feature_flag_reason: 'why',
          $feature_flag_request_id: 'request-1',
          $feature_flag_evaluated_at: 1735689600000,
          $lib: expect.any(String),
          $lib_version: expect.any(String),
        });
        expect('$feature/a' in (event?.properties ?? {})).toBe(!short);
      },
    );
  });
}
