import type { Feature } from '../client.js';
import type { FlagKey, FlagSnapshot } from './types.js';

/**
 * Replaces `flags()` in applications without flags: its methods know no flag and log once that flags need `flags()`.
 * @example createClient(key, options, platform, [withoutFlags()])
 */
export function withoutFlags(): Feature {
  return {
    name: 'flags',
    setup(_client, { extend, log }) {
      const say = () => {
        log.warn('flags');
        return undefined;
      };
      const nothing = () => () => {};
      const none: readonly string[] = [];
      extend({
        isFeatureEnabled: say,
        getFeatureFlag: say,
        getFeatureFlagPayload: say,
        getFeatureFlagResult: say,
        getFeatureFlags: () => ({}),
        getFeatureFlagsAndPayloads: () => ({ featureFlags: {}, featureFlagPayloads: {} }),
        featureFlags: { override: say },
        onFeatureFlags: nothing,
        reloadFeatureFlags: say,
        whenFlagsReady: async () => {},
        setPersonPropertiesForFlags: say,
        resetPersonPropertiesForFlags: say,
        setGroupPropertiesForFlags: say,
        resetGroupPropertiesForFlags: say,
        flags: {
          subscribe: nothing,
          snapshot: unknownFlag,
          serverSnapshot: unknownFlag,
          activeKeys: () => none,
          serverActiveKeys: () => none,
          status: () => 'error',
        },
      });
      return undefined;
    },
  };
}

function unknownFlag<Key extends FlagKey>(key: Key): FlagSnapshot<Key>;
function unknownFlag(key: string): FlagSnapshot {
  return {
    key,
    status: 'error',
    source: undefined,
    value: undefined,
    enabled: false,
    variant: undefined,
    payload: undefined,
    reason: undefined,
  };
}
