import { isRecord } from '@tidemark/client';
import { describe, expect, test } from 'vitest';
import type { NodeOptions } from '../node-options.js';
import { fakeNode } from '../testing/fake-node.js';
import { flagsAnswer, startClient } from '../testing/start-client.js';

function withFlags(values: Record<string, boolean | string>, local?: object[], options: Partial<NodeOptions> = {}) {
  const node = fakeNode();
  node.answer('/flags/definitions', { body: { flags: local ?? [], group_type_mapping: {}, cohorts: {} } });
  node.answer('/flags/', flagsAnswer(values, { payloads: { checkout: '{"cta":"Try now"}' } }));
  const started = startClient({ ...(local ? { personalApiKey: 'tms_1' } : {}), ...options }, node);
  const flagRequests = () => node.requestsTo('/flags/').filter(({ path }) => path === '/flags/');
  return {
    ...started,
    flagRequests,
    requestedKeys: () => flagRequests().map(({ body }) => (isRecord(body) ? body['flag_keys'] : undefined)),
  };
}

const everybody = (key: string) => ({ id: 1, key, active: true, filters: { groups: [{}] } });
const FLAGS = { 'beta-ui': true, checkout: 'blue', off: false };

describe('a snapshot', () => {
  test('SNP-1 SNP-2 SNP-3 one request serves all reads, and the events that get the snapshot', async () => {
    const { client, flagRequests, flushed } = withFlags(FLAGS);
    const flags = await client.evaluateFlags('user-123');
    expect([flags.isEnabled('beta-ui'), flags.getFlag('beta-ui')]).toEqual([true, true]);
    expect([flags.isEnabled('checkout'), flags.getFlag('checkout')]).toEqual([true, 'blue']);
    expect([flags.isEnabled('off'), flags.getFlag('off')]).toEqual([false, false]);
    expect([flags.isEnabled('missing'), flags.getFlag('missing')]).toEqual([false, undefined]);
    expect(flags.getFlagPayload('checkout')).toEqual({ cta: 'Try now' });
    expect(flags.getFlagPayload('beta-ui')).toBeNull();
    expect(flags.keys).toEqual(['beta-ui', 'checkout', 'off']);
    client.capture({ distinctId: 'user-123', event: 'seen', flags });
    expect((await flushed()).at(-1)?.properties).toMatchObject({ '$feature/beta-ui': true, '$feature/checkout': 'blue' });
    expect(flagRequests()).toHaveLength(1);
  });

  test('SNP-4 only the first isEnabled or getFlag of a value is reported, and payloads are not', async () => {
    const { client, flushed } = withFlags(FLAGS);
    const flags = await client.evaluateFlags('user-123');
    flags.getFlagPayload('checkout');
    expect(await flushed()).toEqual([]);
    flags.isEnabled('checkout');
    flags.getFlag('checkout');
    flags.isEnabled('checkout');
    expect((await flushed()).map(({ properties }) => properties['$feature_flag_response'])).toEqual(['blue']);
    expect(flags.onlyAccessed().keys).toEqual(['checkout']);
  });

  test('SNP-5 events have its exact values', async () => {
    const { client, flagRequests, flushed } = withFlags({ 'beta-ui': false, checkout: 'blue' });
    client.capture({ distinctId: 'user-123', event: 'seen', flags: await client.evaluateFlags('user-123') });
    const [event] = await flushed();
    expect(event?.properties).toMatchObject({
      '$feature/beta-ui': false,
      '$feature/checkout': 'blue',
      $active_feature_flags: ['checkout'],
    });
    expect(flagRequests()).toHaveLength(1);
  });

  test('SNP-6 onlyAccessed has the flags that were read, also false ones, and none before any read', async () => {
    const { client, flagRequests } = withFlags(FLAGS);
    const flags = await client.evaluateFlags('user-123');
    expect(flags.onlyAccessed().keys).toEqual([]);
    flags.isEnabled('off');
    flags.getFlag('beta-ui');
    expect(flags.onlyAccessed().keys).toEqual(['beta-ui', 'off']);
    expect(flagRequests()).toHaveLength(1);
  });

  test('SNP-7 a list of keys is sent in the request; only() filters in memory and warns of unknown keys', async () => {
    const { client, node, requestedKeys } = withFlags(FLAGS);
    const flags = await client.evaluateFlags('user-123', { flagKeys: ['beta-ui', 'checkout'] });
    expect(flags.keys).toEqual(['beta-ui', 'checkout']);
    expect(flags.only(['beta-ui', 'missing']).keys).toEqual(['beta-ui']);
    expect(requestedKeys()).toEqual([['beta-ui', 'checkout']]);
    expect(node.warnings()).toEqual([expect.stringContaining('missing')]);
  });

  test('SNP-8 a listed key without a definition requests all listed keys, and local results win', async () => {
    const { client, requestedKeys } = withFlags({ 'beta-ui': false, remote: 'x' }, [everybody('beta-ui')]);
    await client.whenFlagsReady();
    const flags = await client.evaluateFlags('user-123', { flagKeys: ['beta-ui', 'remote'] });
    expect([flags.getFlag('beta-ui'), flags.getFlag('remote')]).toEqual([true, 'x']);
    expect(requestedKeys()).toEqual([['beta-ui', 'remote']]);
  });

  test('SNP-9 a list of keys restricts local results and earlier responses', async () => {
    const local = withFlags({}, [everybody('beta-ui'), everybody('other')]);
    await local.client.whenFlagsReady();
    expect((await local.client.evaluateFlags('user-123', { flagKeys: ['beta-ui'] })).keys).toEqual(['beta-ui']);
    expect(local.flagRequests()).toEqual([]);
    const remote = withFlags(FLAGS);
    await remote.client.evaluateFlags('user-123');
    remote.node.answer('/flags/', { status: 503 });
    expect((await remote.client.evaluateFlags('user-123', { flagKeys: ['checkout'] })).keys).toEqual(['checkout']);
  });

  test('SNP-10 with onlyEvaluateLocally undecidable flags are absent, without a request', async () => {
    const { client, flagRequests } = withFlags(FLAGS, [everybody('beta-ui')]);
    await client.whenFlagsReady();
    const options = { flagKeys: ['beta-ui', 'checkout'], onlyEvaluateLocally: true };
    expect((await client.evaluateFlags('user-123', options)).keys).toEqual(['beta-ui']);
    expect(flagRequests()).toEqual([]);
  });

  test('SNP-11 if the service fails, local results stay, and a read does not retry', async () => {
    const { client, node, flagRequests } = withFlags(FLAGS, [everybody('beta-ui')]);
    node.answer('/flags/', { status: 503 });
    await client.whenFlagsReady();
    const flags = await client.evaluateFlags('user-123', { flagKeys: ['beta-ui', 'checkout'] });
    expect([flags.getFlag('beta-ui'), flags.isEnabled('checkout'), flags.getFlag('checkout')]).toEqual([true, false, undefined]);
    expect(flagRequests()).toHaveLength(1);
  });

  test('SNP-12 without a distinct id there are no flags, no request and no report', async () => {
    const { client, node, flushed } = withFlags(FLAGS);
    const flags = await client.evaluateFlags();
    expect([flags.keys, flags.isEnabled('beta-ui')]).toEqual([[], false]);
    expect(await flushed()).toEqual([]);
    expect(node.requests).toEqual([]);
  });

  test('SNP-13 it is immutable, and a read of a filtered snapshot does not mark the flag as accessed in the whole', async () => {
    const { client, node } = withFlags(FLAGS);
    const flags = await client.evaluateFlags('user-123');
    node.answer('/flags/', flagsAnswer({}));
    await client.evaluateFlags('user-123');
    flags.only(['checkout']).getFlag('checkout');
    expect(flags.getFlag('beta-ui')).toBe(true);
    expect(flags.onlyAccessed().keys).toEqual(['beta-ui']);
  });

  test('SNP-14 a missing key is reported as missing by the whole snapshot only, and defaults are for missing keys only', async () => {
    const { client, flushed } = withFlags({ off: false });
    const flags = await client.evaluateFlags('user-123');
    flags.only([]).isEnabled('missing');
    expect(await flushed()).toEqual([]);
    expect([flags.isEnabled('missing', true), flags.getFlag('missing', 'x'), flags.isEnabled('off', true)]).toEqual([
      true,
      'x',
      false,
    ]);
    expect((await flushed())[0]?.properties).toMatchObject({ $feature_flag: 'missing', $feature_flag_error: 'flag_missing' });
  });

  test('SNP-15 that no flag has a key is cached until the definitions are loaded again', async () => {
    const { client, node, flagRequests } = withFlags({}, [everybody('beta-ui')]);
    await client.whenFlagsReady();
    await client.getFeatureFlag('nowhere', 'user-123');
    await client.getFeatureFlag('nowhere', 'user-456');
    expect(flagRequests()).toHaveLength(1);
    node.answer('/flags/definitions', { status: 304 });
    // the more particular path has to come first
    node.answer('/flags/', flagsAnswer({}));
    await client.reloadFeatureFlags();
    await client.getFeatureFlag('nowhere', 'user-123');
    expect(flagRequests()).toHaveLength(2);
    node.answer('/flags/', flagsAnswer({}, { errorsWhileComputingFlags: true }));
    await client.getFeatureFlag('other', 'user-123');
    await client.getFeatureFlag('other', 'user-123');
    expect(flagRequests()).toHaveLength(4);
  });
});
