import {
  type CaptureOptions,
  type Client,
  type ClientOptions,
  copied,
  type Feature,
  type FlagKey,
  type FlagReadOptions,
  type FlagsListener,
  type Platform,
} from '@tidemark/client';
import { createFollowingStore } from './following-store.js';
import { createWaitingCalls } from './waiting-calls.js';

/** A client from the first moment, though what is stored is not there yet. */
export interface DeferredClient {
  client: Client;
  /** Goes over to the client that knows what is stored, and makes the calls that waited. */
  attach(client: Client): void;
  /** Captures an event, in the order of the calls. */
  captureLater(call: () => void): void;
  /** Reports events that were lost while storage had not answered. The client to attach needs it. */
  feature: Feature;
}

type Settings = Pick<
  ClientOptions,
  'bootstrap' | 'disable_flags' | 'feature_flag_request_timeout_ms' | 'maxQueueSize' | 'onFeatureFlags'
>;

/**
 * Calls wait, with their arguments as they were and the time they were made at; reads answer what is known without storage: nothing, or
 * bootstrap. Flags are settled at the time-out of their request, as if the request had begun at once.
 */
export function createDeferredClient(
  apiKey: string,
  platform: Pick<Platform, 'clock' | 'log' | 'timers'>,
  { bootstrap, disable_flags, feature_flag_request_timeout_ms = 3000, maxQueueSize, onFeatureFlags }: Settings,
): DeferredClient {
  let real: Client | undefined;
  let announce: (client: Client) => void = () => {};
  const there = new Promise<Client>((resolve) => {
    announce = resolve;
  });
  const waiting = createWaitingCalls(platform.log, maxQueueSize);
  const run = (call: (client: Client) => void): void => (real ? call(real) : waiting.add(call));
  /** A method whose arguments are data: those of a call that waits are copied. */
  const method =
    <Given extends unknown[]>(call: (client: Client, ...given: Given) => void) =>
    (...given: Given): void => {
      const args = real ? given : (given.map(copied) as Given);
      run((client) => call(client, ...args));
    };
  const read = <T>(call: (client: Client) => T, otherwise: T): T => (real ? call(real) : otherwise);
  /** Listens as soon as there is something to listen to. */
  const listen = (start: (client: Client) => () => void): (() => void) => {
    let stop = () => {};
    let over = false;
    run((client) => {
      if (!over) stop = start(client);
    });
    return () => {
      over = true;
      stop();
    };
  };
  const now = (options?: CaptureOptions): CaptureOptions => ({ timestamp: platform.clock.now(), ...copied(options) });
  const defaultOf = (options?: string | FlagReadOptions) => (typeof options === 'object' ? options.defaultValue : undefined);
  const { store, follow, setOverdue } = createFollowingStore(bootstrap);
  const listeners = new Set<FlagsListener>(onFeatureFlags && [onFeatureFlags]);
  const unsettled = new Set<() => void>();
  const timeOut = () => {
    deadline = undefined;
    setOverdue(true);
    for (const resolve of unsettled) resolve();
    unsettled.clear();
    if (real) return;
    for (const listener of [...listeners]) {
      try {
        listener([...store.activeKeys()], { ...bootstrap?.featureFlags }, { error: true });
      } catch (error) {
        platform.log.error('[tidemark] onFeatureFlags failed:', error);
      }
    }
  };
  const hasDeadline = feature_flag_request_timeout_ms && !disable_flags;
  let deadline = hasDeadline ? platform.timers.set(timeOut, feature_flag_request_timeout_ms) : undefined;
  const settled = () => {
    platform.timers.clear(deadline);
    deadline = undefined;
    unsettled.clear();
    setOverdue(false);
  };

  const client: Client = {
    apiKey,
    get name() {
      return read((c) => c.name, 'default');
    },
    get isInitialized() {
      return read((c) => c.isInitialized, true);
    },
    capture: (event, properties, options) => {
      if (real) return real.capture(event, properties, options);
      const at = now(options);
      // as they are now, whatever the app changes until storage has answered
      const given = copied(properties);
      return void waiting.addEvent((c) => void c.capture(event, given, at));
    },
    captureException: (error, properties, context) => {
      if (real) return real.captureException(error, properties, context);
      const given = copied(properties);
      return void waiting.addEvent((c) => void c.captureException(error, given, context));
    },
    addExceptionStep: method((c, ...args) => c.addExceptionStep(...args)),
    identify: method((c, ...args) => c.identify(...args)),
    alias: method((c, ...args) => c.alias(...args)),
    group: method((c, ...args) => c.group(...args)),
    groupIdentify: method((c, ...args) => c.groupIdentify(...args)),
    resetGroups: () => run((c) => c.resetGroups()),
    getGroups: () => read((c) => c.getGroups(), {}),
    setPersonProperties: method((c, ...args) => c.setPersonProperties(...args)),
    unsetPersonProperties: method((c, ...args) => c.unsetPersonProperties(...args)),
    createPersonProfile: () => run((c) => c.createPersonProfile()),
    reset: method((c, ...args) => c.reset(...args)),
    getDistinctId: () => read((c) => c.getDistinctId(), ''),
    getAnonymousId: () => read((c) => c.getAnonymousId(), ''),
    getDeviceId: () => read((c) => c.getDeviceId(), ''),
    getSessionId: () => read((c) => c.getSessionId(), ''),
    resetSessionId: () => run((c) => c.resetSessionId()),
    register: method((c, ...args) => c.register(...args)),
    registerOnce: method((c, ...args) => c.registerOnce(...args)),
    registerForSession: method((c, ...args) => c.registerForSession(...args)),
    unregister: method((c, ...args) => c.unregister(...args)),
    optIn: () => run((c) => c.optIn()),
    optOut: method((c, ...args) => c.optOut(...args)),
    isOptedOut: () => read((c) => c.isOptedOut(), true),
    getConsentStatus: () => read((c) => c.getConsentStatus(), 'pending'),
    on: (name, listener) => listen((c) => c.on(name, listener)),
    setConfig: (changes) => {
      // it may hold functions
      const given = { ...changes };
      run((c) => c.setConfig(given));
    },
    // not remembered, unlike in a page: who debugs an app starts it with the option
    debug: (on = true) => run((c) => c.setConfig({ debug: on })),
    flush: async () => (await there).flush(),
    shutdown: async (timeoutMs) => (await there).shutdown(timeoutMs),
    startSessionRecording: () => run((c) => c.startSessionRecording()),
    stopSessionRecording: () => run((c) => c.stopSessionRecording()),
    isSessionReplayActive: () => read((c) => c.isSessionReplayActive(), false),

    isFeatureEnabled: (key, options, more) => {
      const bootstrapped = store.snapshot(key).value;
      const otherwise = bootstrapped === undefined ? (defaultOf(options) ?? defaultOf(more)) : bootstrapped !== false;
      return read((c) => c.isFeatureEnabled(key, options, more), otherwise);
    },
    getFeatureFlag: <Key extends FlagKey>(key: Key, options?: FlagReadOptions) =>
      read((c) => c.getFeatureFlag(key, options), store.snapshot(key).value),
    getFeatureFlagPayload: <Key extends FlagKey>(key: Key) =>
      read((c) => c.getFeatureFlagPayload(key), store.snapshot(key).payload),
    getFeatureFlagResult: <Key extends FlagKey>(key: Key, options?: FlagReadOptions) =>
      read((c) => c.getFeatureFlagResult(key, options), undefined),
    getFeatureFlags: () => read((c) => c.getFeatureFlags(), { ...bootstrap?.featureFlags }),
    getFeatureFlagsAndPayloads: () =>
      read((c) => c.getFeatureFlagsAndPayloads(), {
        featureFlags: { ...bootstrap?.featureFlags },
        featureFlagPayloads: { ...bootstrap?.featureFlagPayloads },
      }),
    featureFlags: { override: method((c, ...args) => c.featureFlags.override(...args)) },
    onFeatureFlags: (listener) => {
      if (!real) listeners.add(listener);
      const stop = listen((c) => c.onFeatureFlags(listener));
      return () => {
        listeners.delete(listener);
        stop();
      };
    },
    reloadFeatureFlags: () => run((c) => c.reloadFeatureFlags()),
    whenFlagsReady: (timeoutMs) =>
      new Promise((resolve) => {
        if (store.status() === 'error') return resolve();
        if (deadline !== undefined) unsettled.add(resolve);
        // the time runs while storage has not answered, too
        if (typeof timeoutMs === 'number') platform.timers.set(resolve, timeoutMs);
        void there.then((c) => c.whenFlagsReady()).then(resolve);
      }),
    setPersonPropertiesForFlags: method((c, ...args) => c.setPersonPropertiesForFlags(...args)),
    resetPersonPropertiesForFlags: method((c, ...args) => c.resetPersonPropertiesForFlags(...args)),
    setGroupPropertiesForFlags: method((c, ...args) => c.setGroupPropertiesForFlags(...args)),
    resetGroupPropertiesForFlags: method((c, ...args) => c.resetGroupPropertiesForFlags(...args)),
    flags: store,
  };

  let report: (count: number) => void = () => {};
  return {
    client,
    captureLater: (call) => (real ? call() : waiting.addEvent(call)),
    feature: {
      name: 'deferred',
      setup: (started, { emit }) => {
        report = (count) => emit('loss', { reason: 'queue_overflow', count });
        const stop = started.on('featureFlags', settled);
        return () => {
          platform.timers.clear(deadline);
          stop();
        };
      },
    },
    attach: (next) => {
      real = next;
      const lost = waiting.makeAll(next);
      follow(next.flags);
      if (next.flags.status() !== 'loading') settled();
      // by now all listeners are subscribed
      if (lost) report(lost);
      announce(next);
    },
  };
}
