import {
  type Bootstrap,
  type CaptureOptions,
  type Client,
  copied,
  type FlagKey,
  type FlagReadOptions,
  type Platform,
} from '@tidemark/client';
import { createFollowingStore } from './following-store.js';

/** A client from the first moment, though what is stored is not there yet. */
export interface DeferredClient {
  client: Client;
  /** Goes over to the client that knows what is stored, and makes the calls that waited. */
  attach(client: Client): void;
  /** Runs what belongs to the order of the calls. */
  later(call: () => void): void;
}

const MOST_WAITING = 1_000;

/** Calls wait, with the time they were made at; reads answer what is known without storage: nothing, or bootstrap. */
export function createDeferredClient(
  apiKey: string,
  platform: Pick<Platform, 'clock' | 'log' | 'timers'>,
  bootstrap?: Bootstrap,
): DeferredClient {
  let real: Client | undefined;
  let announce: (client: Client) => void = () => {};
  const there = new Promise<Client>((resolve) => {
    announce = resolve;
  });
  const waiting: ((client: Client) => void)[] = [];
  const run = (call: (client: Client) => void): void => {
    if (real) call(real);
    else if (waiting.length < MOST_WAITING) waiting.push(call);
    else platform.log.warn('[tidemark] Too many calls before storage has answered; the latest are dropped');
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
  const now = (options?: CaptureOptions): CaptureOptions => ({ timestamp: platform.clock.now(), ...options });
  const defaultOf = (options?: string | FlagReadOptions) => (typeof options === 'object' ? options.defaultValue : undefined);
  const { store, follow } = createFollowingStore(bootstrap);

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
      return void run((c) => void c.capture(event, given, at));
    },
    captureException: (error, properties, context) => {
      if (real) return real.captureException(error, properties, context);
      return void run((c) => void c.captureException(error, properties, context));
    },
    addExceptionStep: (...args) => run((c) => c.addExceptionStep(...args)),
    identify: (...args) => run((c) => c.identify(...args)),
    alias: (...args) => run((c) => c.alias(...args)),
    group: (...args) => run((c) => c.group(...args)),
    groupIdentify: (...args) => run((c) => c.groupIdentify(...args)),
    resetGroups: () => run((c) => c.resetGroups()),
    getGroups: () => read((c) => c.getGroups(), {}),
    setPersonProperties: (...args) => run((c) => c.setPersonProperties(...args)),
    unsetPersonProperties: (...args) => run((c) => c.unsetPersonProperties(...args)),
    createPersonProfile: () => run((c) => c.createPersonProfile()),
    reset: (...args) => run((c) => c.reset(...args)),
    getDistinctId: () => read((c) => c.getDistinctId(), ''),
    getAnonymousId: () => read((c) => c.getAnonymousId(), ''),
    getDeviceId: () => read((c) => c.getDeviceId(), ''),
    getSessionId: () => read((c) => c.getSessionId(), ''),
    resetSessionId: () => run((c) => c.resetSessionId()),
    register: (...args) => run((c) => c.register(...args)),
    registerOnce: (...args) => run((c) => c.registerOnce(...args)),
    registerForSession: (...args) => run((c) => c.registerForSession(...args)),
    unregister: (...args) => run((c) => c.unregister(...args)),
    optIn: () => run((c) => c.optIn()),
    optOut: (...args) => run((c) => c.optOut(...args)),
    isOptedOut: () => read((c) => c.isOptedOut(), true),
    getConsentStatus: () => read((c) => c.getConsentStatus(), 'pending'),
    on: (name, listener) => listen((c) => c.on(name, listener)),
    setConfig: (...args) => run((c) => c.setConfig(...args)),
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
    featureFlags: { override: (...args) => run((c) => c.featureFlags.override(...args)) },
    onFeatureFlags: (listener) => listen((c) => c.onFeatureFlags(listener)),
    reloadFeatureFlags: () => run((c) => c.reloadFeatureFlags()),
    whenFlagsReady: (timeoutMs) =>
      new Promise((resolve) => {
        // the time runs while storage has not answered, too
        if (typeof timeoutMs === 'number') platform.timers.set(resolve, timeoutMs);
        void there.then((c) => c.whenFlagsReady()).then(resolve);
      }),
    setPersonPropertiesForFlags: (...args) => run((c) => c.setPersonPropertiesForFlags(...args)),
    resetPersonPropertiesForFlags: (...args) => run((c) => c.resetPersonPropertiesForFlags(...args)),
    setGroupPropertiesForFlags: (...args) => run((c) => c.setGroupPropertiesForFlags(...args)),
    resetGroupPropertiesForFlags: (...args) => run((c) => c.resetGroupPropertiesForFlags(...args)),
    flags: store,
  };

  return {
    client,
    later: (call) => run(() => call()),
    attach: (next) => {
      real = next;
      for (const call of waiting.splice(0)) call(next);
      follow(next.flags);
      announce(next);
    },
  };
}
