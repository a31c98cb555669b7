import type { Common, Start, StartCommon } from './driver.js';

/** Adapts a client of one person to the common API. */
export const common =
  (start: Start): StartCommon =>
  async (options, world): Promise<Common> => {
    const { client, platform, queued } = await start(options, world ? { world } : {});
    return {
      platform,
      queued,
      capture: (event, properties, { atOnce, ...more } = {}) =>
        client.capture(event, properties, { ...more, ...(atOnce ? { send_instantly: true } : {}) })?.uuid,
      captureException: client.captureException,
      identify: client.identify,
      alias: client.alias,
      groupIdentify: client.groupIdentify,
      optOut: client.optOut,
      reset: client.reset,
      flush: client.flush,
      shutdown: client.shutdown,
      load: client.reloadFeatureFlags,
      loaded: async (key) => client.getFeatureFlags()[key],
      isFeatureEnabled: async (key, given) => client.isFeatureEnabled(key, given),
      getFeatureFlag: async (key, given) => client.getFeatureFlag(key, given),
      getFeatureFlagPayload: async (key) => client.getFeatureFlagPayload(key),
      getFeatureFlagResult: async (key, given) => client.getFeatureFlagResult(key, given),
      getFeatureFlags: async () => client.getFeatureFlags(),
      getFeatureFlagsAndPayloads: async () => client.getFeatureFlagsAndPayloads(),
      setPersonPropertiesForFlags: (properties) => client.setPersonPropertiesForFlags(properties),
      resetPersonPropertiesForFlags: () => client.resetPersonPropertiesForFlags(),
      setGroupPropertiesForFlags: (properties) => client.setGroupPropertiesForFlags(properties),
      resetGroupPropertiesForFlags: (type) => client.resetGroupPropertiesForFlags(type),
    };
  };
