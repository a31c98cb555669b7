import type { Client, ClientInternals, Feature } from '../client.js';
import { flagsFromValues, type KnownFlag } from './answer.js';
import { calledProperties, createCalledTracker, keepMinimal } from './called.js';
import { createKnownFlags, parseCachedFlags } from './known-flags.js';
import { createFlagLoader } from './loader.js';
import { createPropertiesForFlags, PERSON } from './properties-for-flags.js';
import { createFlagStore } from './store.js';
import type {
  FlagKey,
  FlagMethods,
  FlagPayloadOf,
  FlagReadOptions,
  FlagResult,
  FlagSource,
  FlagStatus,
  FlagsListener,
  FlagValue,
  FlagValueOf,
} from './types.js';

/** Feature flags: values at once from bootstrap or the last visit, then from the server. */
export function flags(): Feature {
  return { name: 'flags', setup };
}

function setup(client: Client, internals: ClientInternals): () => void {
  const { options, platform, log, guard } = internals;
  const boot = flagsFromValues(options().bootstrap?.featureFlags, options().bootstrap?.featureFlagPayloads);
  const booted = (key: string) => (Object.hasOwn(boot, key) ? boot[key] : undefined);
  const known = createKnownFlags(internals.slot('flags', parseCachedFlags), client.getDistinctId(), boot);
  const forFlags = createPropertiesForFlags((name, parse) => internals.slot(name, parse));
  const calledSlot = internals.slot('called', (stored) =>
    Array.isArray(stored) ? stored.filter((key): key is string => typeof key === 'string') : undefined,
  );
  const called = createCalledTracker(1000, calledSlot.get());
  const listeners = new Set<FlagsListener>();
  const waiting = new Set<() => void>();
  /** The server has answered for this person. */
  let answered = false;
  let failed = false;
  /** Flags are final for now: the server has answered, did not answer in time, or no request is made. */
  let settled = false;

  const status = (source: FlagSource | undefined): FlagStatus => {
    if (source === 'override' || options().disable_flags) return 'ready';
    if (source === 'cache' || (failed && source)) return 'stale';
    return failed ? 'error' : source || settled ? 'ready' : 'loading';
  };
  const { find } = known;
  const store = createFlagStore(
    { find, keys: known.keys, status },
    {
      find(key) {
        const flag = booted(key);
        return flag && { flag, source: 'bootstrap' };
      },
      keys: () => Object.keys(boot),
      status: (source) => (source || options().disable_flags ? 'ready' : 'loading'),
    },
  );
  const everything = () => {
    const featureFlags: Record<string, FlagValue> = {};
    const featureFlagPayloads: Record<string, unknown> = {};
    for (const key of known.keys()) {
      const flag = find(key)?.flag;
      if (flag) featureFlags[key] = flag.value;
      if (flag?.payload != null) featureFlagPayloads[key] = flag.payload;
    }
    return { featureFlags, featureFlagPayloads };
  };
  const values = () => everything().featureFlags;
  let onEvents: Record<string, unknown> = {};
  const changed = (anything = true) => {
    store.update(anything);
    const all = Object.entries(values());
    onEvents = all.length ? { $active_feature_flags: store.activeKeys() } : {};
    for (const [key, value] of all) onEvents[`$feature/${key}`] = value;
  };
  const notify = (listener: FlagsListener) => guard(() => listener([...store.activeKeys()], values(), { error: failed }));
  const notifyAll = (anything?: boolean) => {
    changed(anything);
    for (const listener of [...listeners]) notify(listener);
    internals.emit('featureFlags', undefined);
  };

  const settle = (anything = false) => {
    settled = true;
    notifyAll(anything);
    for (const resolve of waiting) resolve();
    waiting.clear();
  };

  const loader = createFlagLoader({
    internals,
    distinctId: client.getDistinctId,
    body() {
      if (options().disable_flags || client.isOptedOut()) {
        settle();
        // captures nothing then, and logs once why
        if (client.isOptedOut()) internals.capture('');
        return undefined;
      }
      internals.emit('featureFlagsReloading', undefined);
      return {
        token: client.apiKey,
        distinct_id: client.getDistinctId(),
        groups: client.getGroups(),
        person_properties: forFlags.person() ?? {},
        group_properties: forFlags.groups(),
        $anon_distinct_id: options().reuseAnonymousId ? undefined : client.getAnonymousId(),
        $device_id: client.getDeviceId(),
      };
    },
    loaded(answer) {
      let anything = false;
      failed = !answer || answer.quotaLimited;
      if (answer) {
        answered = true;
        anything = !failed && known.take(answer, client.getDistinctId());
        if (anything) forgetCalled();
        const limit = options().feature_flag_cache_ttl_ms;
        platform.timers.clear(ageTimer);
        if (limit) {
          ageTimer = platform.timers.set(() => {
            failed = true;
            changed(false);
            loader.reload();
          }, limit);
        }
      }
      settle(anything);
    },
  });
  const forgetCalled = () => {
    called.clear();
    calledSlot.set(undefined);
  };
  let ageTimer: unknown;

  const report = (key: string, flag: KnownFlag | undefined) => {
    if (!flag && !answered) return log.debug(`flag:${key}`);
    if (!called.isFirst(`${key}:${flag?.value}`)) return;
    calledSlot.set(called.keys());
    const last = known.last();
    const fromBoot = booted(key);
    const minimal = last?.minimal === true && flag?.hasExperiment === false;
    const properties = calledProperties(key, flag, last ?? {});
    if (!minimal) {
      properties.$feature_flag_bootstrapped_response = fromBoot?.value;
      properties.$feature_flag_bootstrapped_payload = fromBoot?.payload;
      properties.$used_bootstrap_value = !answered && !!fromBoot;
    }
    internals.capture('$feature_flag_called', properties, {}, minimal ? keepMinimal : undefined);
  };
  const read = (key: string, tracking: boolean | undefined) => {
    const found = find(key);
    if (tracking !== false && found?.source !== 'override') guard(() => report(key, found?.flag));
    return found?.flag;
  };
  internals.enrich(() => (options().send_feature_flags === false ? undefined : onEvents));

  function getFeatureFlag<Key extends FlagKey>(key: Key, how?: FlagReadOptions): FlagValueOf<Key> | undefined;
  function getFeatureFlag(key: string, how?: FlagReadOptions): FlagValue | undefined {
    return read(key, how?.tracking)?.value;
  }
  function getFeatureFlagPayload<Key extends FlagKey>(key: Key): FlagPayloadOf<Key> | null | undefined;
  function getFeatureFlagPayload(key: string): unknown {
    return find(key)?.flag.payload;
  }
  function getFeatureFlagResult<Key extends FlagKey>(key: Key, how?: FlagReadOptions): FlagResult<Key> | undefined;
  function getFeatureFlagResult(key: string, how?: FlagReadOptions): FlagResult | undefined {
    const flag = read(key, how?.tracking);
    if (!flag) return undefined;
    const { value, payload } = flag;
    return { key, enabled: !!value, payload, ...(typeof value === 'string' && { variant: value }) };
  }
  const reload = (wanted = true) => {
    if (wanted) loader.reload();
  };
  const methods: FlagMethods = {
    getFeatureFlag,
    getFeatureFlagPayload,
    getFeatureFlagResult,
    isFeatureEnabled(key, second, third) {
      const how = typeof second === 'object' ? second : third;
      const value = read(key, how?.tracking)?.value;
      return value === undefined ? how?.defaultValue : !!value;
    },
    getFeatureFlags: values,
    getFeatureFlagsAndPayloads: everything,
    featureFlags: {
      override(map, payloads) {
        const given = Array.isArray(map) ? Object.fromEntries(map.map((key) => [key, true])) : map;
        known.override(given ? flagsFromValues(given, payloads) : undefined);
        notifyAll();
      },
    },
    onFeatureFlags(listener) {
      listeners.add(listener);
      if (settled || known.keys().length) notify(listener);
      return () => void listeners.delete(listener);
    },
    reloadFeatureFlags: loader.reload,
    whenFlagsReady: (timeoutMs) =>
      settled
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.add(resolve);
            if (timeoutMs != null) platform.timers.set(resolve, timeoutMs);
          }),
    setPersonPropertiesForFlags(properties, wanted) {
      forFlags.add(PERSON, properties);
      reload(wanted);
    },
    resetPersonPropertiesForFlags(wanted) {
      forFlags.clear(PERSON);
      reload(wanted);
    },
    setGroupPropertiesForFlags(groups, wanted) {
      for (const [type, properties] of Object.entries(groups)) forFlags.add(type, properties);
      reload(wanted);
    },
    resetGroupPropertiesForFlags(type) {
      forFlags.clear(type);
      reload();
    },
    flags: store,
  };
  internals.extend(methods);

  client.on('identity', ({ reason, properties, group, adopted, reload: wanted }) => {
    if (reason === 'reset') {
      known.restart(adopted && client.getDistinctId());
      if (!adopted) {
        forFlags.clear();
        forFlags.clear(PERSON);
      }
      answered = failed = settled = false;
      changed();
    }
    if (reason !== 'person') forgetCalled();
    if (properties) forFlags.add(group ?? PERSON, properties);
    reload(wanted);
  });
  client.on('config', (config) => reload(config.hasFeatureFlags === true && !loader.hasRequested()));
  client.on('consent', (consent) => {
    if (consent !== 'granted') return;
    settled = answered || failed;
    reload();
  });
  // the project has no flags
  settled = internals.remoteConfig()?.hasFeatureFlags === false;
  changed();
  const given = options().onFeatureFlags;
  if (given) methods.onFeatureFlags(given);
  reload(!settled);
  const unwatch = platform.online?.onChange(() => reload(failed));
  return () => {
    unwatch?.();
    loader.stop();
    called.clear();
    platform.timers.clear(ageTimer);
    settled = true;
    for (const resolve of waiting) resolve();
  };
}
