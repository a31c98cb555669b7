import { flagsAnswer } from '@tidemark/client/testing';
import { describe, expect, test } from 'vitest';
import type { Start } from '../drivers/driver.js';
import { flagRequests, reloadFlags, startWithFlags } from '../drivers/seen.js';

export function bootstrappedFlagsContract(start: Start): void {
  const bootstrap = {
    featureFlags: { 'beta-ui': true, off: false, color: 'red' },
    featureFlagPayloads: { 'beta-ui': 1, off: 2, color: { c: 1 } },
  };

  describe('bootstrapped flags', () => {
    test('BST-1 readers and listeners have them with payloads right after setup, without a request', async () => {
      const heard: unknown[] = [];
      const read: unknown[] = [];
      const { platform } = await start(
        { bootstrap, onFeatureFlags: (active) => heard.push(active), disable_flags: true },
        { client: (client) => read.push(client.getFeatureFlag('beta-ui'), client.getFeatureFlagPayload('beta-ui')) },
      );
      expect(read).toEqual([true, 1]);
      expect(heard).toEqual([['beta-ui', 'color']]);
      expect(flagRequests(platform)).toBe(0);
    });

    test('BST-2 they win over flags of an earlier run at every start', async () => {
      const first = await startWithFlags(start, { 'beta-ui': false, cached: true });
      await first.platform.advance(1_000);
      const second = await first.restart({ bootstrap });
      expect(second.client.getFeatureFlag('beta-ui')).toBe(true);
      await reloadFlags(second, { body: flagsAnswer({ 'beta-ui': false }) });
      await second.platform.advance(1_000);
      const third = await second.restart();
      expect(third.client.getFeatureFlag('beta-ui')).toBe(true);
    });

    test('BST-3 flags that are off are disabled and have no payload', async () => {
      const { client } = await start({ bootstrap });
      expect(client.isFeatureEnabled('off')).not.toBe(true);
      expect(client.getFeatureFlagPayload('off')).toBeNull();
    });

    test('BST-9 BST-11 a complete response replaces them with their payloads and keys, and they do not return after a reset', async () => {
      const started = await startWithFlags(start, { color: 'green' }, {}, { bootstrap });
      expect(started.client.getFeatureFlags()).toEqual({ color: 'green' });
      expect(started.client.getFeatureFlagPayload('color')).toBeNull();
      started.client.reset();
      await reloadFlags(started, { body: flagsAnswer({ color: 'blue' }, {}, { errorsWhileComputingFlags: true }) });
      expect(started.client.getFeatureFlags()).toEqual({ color: 'blue' });
    });

    test('BST-10 a response with errors leaves those it did not compute', async () => {
      const started = await start({ bootstrap });
      await reloadFlags(started, { body: flagsAnswer({ color: 'green' }, {}, { errorsWhileComputingFlags: true }) });
      expect(started.client.getFeatureFlags()).toEqual({ 'beta-ui': true, off: false, color: 'green' });
    });

    test('BST-12 BST-13 reports name them until the server has responded, even with errors', async () => {
      const started = await start({ bootstrap });
      started.client.getFeatureFlag('color');
      await reloadFlags(started, { body: flagsAnswer({}, {}, { errorsWhileComputingFlags: true }) });
      started.client.getFeatureFlag('beta-ui');
      await reloadFlags(started, { body: flagsAnswer({ color: 'blue' }) });
      started.client.getFeatureFlag('color');
      expect(started.queuedAs('$feature_flag_called').map(({ properties }) => properties)).toMatchObject([
        {
          $feature_flag_bootstrapped_response: 'red',
          $feature_flag_bootstrapped_payload: { c: 1 },
          $used_bootstrap_value: true,
        },
        { $used_bootstrap_value: false },
        { $used_bootstrap_value: false },
      ]);
    });
  });
}
