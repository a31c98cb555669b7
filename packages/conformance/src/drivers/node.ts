import type { ClientOptions, FlagValue } from '@tidemark/client';
import { createFakePlatform, type FakePlatform } from '@tidemark/client/testing';
import { createNodeClient, type NodeOptions, type NodePlatform } from '@tidemark/node';
import { type Common, HOST, PROJECT_KEY } from './driver.js';
import { recorder } from './recorder.js';

const USER = 'user-123';
const nothing = () => {};

/** The server SDK. Calls that need a distinct id use the same one. */
export async function startOnServer(options: ClientOptions = {}, world?: (platform: FakePlatform) => void): Promise<Common> {
  const { queued, before_send } = recorder(options.before_send);
  const platform: FakePlatform & NodePlatform = Object.assign(createFakePlatform(), {
    process: { on: nothing, off: nothing, listeners: () => [], exit: nothing, report: nothing },
    readSource: () => undefined,
  });
  world?.(platform);
  const client = createNodeClient(PROJECT_KEY, { ...asOnServers(options), before_send }, platform);
  let flags: Promise<Record<string, FlagValue>> = Promise.resolve({});
  return {
    platform,
    queued,
    capture: (event, properties = {}, { atOnce = false, ...more } = {}) =>
      client.capture({ distinctId: USER, event, properties, ...more, sendInstantly: atOnce }) ?? undefined,
    captureException: (error, properties, context) => void client.captureException(error, USER, properties, context),
    identify: (distinctId, properties = {}) => void client.identify({ distinctId, properties }),
    alias: (alias) => void client.alias({ distinctId: USER, alias }),
    groupIdentify: (groupType, groupKey, properties = {}) =>
      void client.groupIdentify({ groupType, groupKey, properties, distinctId: USER }),
    optOut: client.optOut,
    reset: client.reset,
    flush: client.flush,
    shutdown: () => client.shutdown(),
    load: () => {
      flags = client.getFeatureFlags(USER);
    },
    loaded: async (key) => (await flags)[key],
    isFeatureEnabled: (key, given) => client.isFeatureEnabled(key, USER, given),
    getFeatureFlag: (key, given) => client.getFeatureFlag(key, USER, given),
    getFeatureFlagPayload: (key) => client.getFeatureFlagPayload(key, USER),
    getFeatureFlagResult: (key, given) => client.getFeatureFlagResult(key, USER, given),
    getFeatureFlags: () => client.getFeatureFlags(USER),
    getFeatureFlagsAndPayloads: () => client.getFeatureFlagsAndPayloads(USER),
    setPersonPropertiesForFlags: client.setPersonPropertiesForFlags,
    resetPersonPropertiesForFlags: client.resetPersonPropertiesForFlags,
    setGroupPropertiesForFlags: client.setGroupPropertiesForFlags,
    resetGroupPropertiesForFlags: client.resetGroupPropertiesForFlags,
  };
}

/** Options have the same meaning in all clients, but the server SDK spells some of them in camel case. */
function asOnServers(options: ClientOptions): NodeOptions {
  const given = {
    flushAt: options.flushAt,
    flushInterval: options.flushInterval,
    maxBatchSize: options.maxBatchSize,
    maxQueueSize: options.maxQueueSize,
    featureFlagRequestTimeoutMs: options.feature_flag_request_timeout_ms,
    featureFlagRequestMaxRetries: options.feature_flag_request_max_retries,
    optedOut: options.opt_out_by_default,
  };
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  return { host: HOST, disableCompression: true, ...Object.fromEntries(known) };
}
