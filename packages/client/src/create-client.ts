import { createCapture } from './capture.js';
import type { Client, ClientEvents, ClientInternals, CoreClient, Feature, ResetOptions } from './client.js';
import { createConsent } from './consent.js';
import { createEmitter } from './emitter.js';
import type { Loss, Properties } from './event.js';
import { eventJson } from './event-json.js';
import { createGroups } from './groups.js';
import { createIdentity } from './identity.js';
import { createLog } from './log.js';
import { missingFeatures } from './missing-features.js';
import type { ClientOptions } from './options.js';
import { watchOtherPages } from './other-pages.js';
import { createOutbox } from './outbox.js';
import { createPerson } from './person.js';
import type { Platform } from './platform.js';
import { createRemoteConfig } from './remote-config.js';
import { send } from './sender.js';
import { createSession } from './session.js';
import { createSlots } from './slots.js';
import { createSuperProperties } from './super-properties.js';

/** Features add the missing methods before the application gets the client; the overload states that for the compiler. */
function complete(core: CoreClient): Client;
function complete(core: object): object {
  return core;
}

/**
 * Makes a client for a platform. Nothing it does throws into the application: misuse is a warning, failures wait and try again.
 * `features` must have `flags()` or `withoutFlags()`.
 * @example createClient('tmk_...', { api_host: 'https://t.example.com' }, platform, [flags()])
 */
export function createClient(apiKey: string, given: ClientOptions, platform: Platform, features: Feature[]): Client {
  const options: ClientOptions = { ...given };
  const log = createLog(platform.log);
  const failed = (what: string, error: unknown) => void log.error(`failed:${what}`, error);
  const guard = <Args extends unknown[], Result>(run: (...args: Args) => Result, ...args: Args): Result | undefined => {
    try {
      return run(...args);
    } catch (error) {
      return failed('', error);
    }
  };
  const name = options.name ?? 'default';
  const key = typeof apiKey === 'string' ? apiKey.trim() : '';
  const prefix = `tm.${key}.${name}.`;
  let stopped = !key || /^(tms_|phx_)/.test(key);
  if (stopped) log.error(key ? 'secret' : 'key');

  const emitter = createEmitter<ClientEvents>(guard);
  const { emit } = emitter;
  const slots = createSlots(platform.store, prefix, platform.timers, log);
  const consent = createConsent(platform, `${prefix}consent`, options, log);
  const pages = watchOtherPages(platform, () => adoptStored());
  const isRefused = () => stopped || consent.isOptedOut();
  const isMuted = (at?: number) => {
    pages.poll(at);
    return isRefused();
  };
  const restrictStorage = () => slots.restrict(consent.isCookieless() ? 'no_access' : isRefused() ? 'no_writes' : undefined);
  restrictStorage();
  const debugging = slots.slot('debug', (stored) => (stored === true ? true : undefined));
  log.verbose(options.debug ?? debugging.get() === true);

  const identity = createIdentity(platform, slots, options, guard);
  const superProperties = createSuperProperties(slots);
  const session = createSession({ ...platform, log }, slots, options, (change) => emit('session', change));

  const host = (other?: string) => (other ?? options.api_host ?? '').replace(/\/+$/, '');
  let failures = 0;
  /** The third request in a row that fails calls `on_blocked`. */
  const request: ClientInternals['request'] = async (path, { body, timeoutMs, host: other, leaving } = {}) => {
    try {
      const json = body === undefined || typeof body === 'string' ? body : eventJson(body);
      const settings = { compress: !options.disable_compression, timeoutMs, leaving, headers: options.request_headers };
      const answer = await send(platform, host(other) + path, json, settings);
      failures = 0;
      return answer;
    } catch (error) {
      log.debug('answer', error);
      // a page that ends or is frozen gets no answers either
      if (!leaving && platform.online?.isOnline() !== false && ++failures === 3) guard(() => options.on_blocked?.());
      throw error;
    }
  };
  const lost = (reason: Loss, count: number) => void emit('loss', { reason, count });
  const ports = { platform, slots, options, log, apiKey: key, url: host, isMuted, request, lost, emit };
  const outbox = createOutbox(ports);
  const config = createRemoteConfig(
    slots,
    () => request(options.paths?.config ?? `/array/${key}/config`),
    (loaded) => emit('config', loaded),
  );
  const loadConfig = () => {
    if (!options.disable_remote_config && !isMuted()) void config.load();
  };

  const enrichers: Parameters<ClientInternals['enrich']>[0][] = [];
  const library = { $lib: platform.library.name, $lib_version: platform.library.version };
  // Engines copy one object many times faster than they merge several: the merged one is cached while its sources are the same.
  let cachedFor: readonly unknown[] = [];
  let merged: Properties = {};
  /** A new object with the properties that every event has. */
  const defaultProperties = (at: number): Properties => {
    const $session_id = session.id(at);
    const $groups = groups.now();
    const context = platform.context && guard(platform.context);
    const [registered, ofThisRun] = superProperties.now();
    const $window_id = platform.windowId?.();
    const $device_id = identity.deviceId();
    const $is_identified = identity.isIdentified();
    const $process_person_profile = identity.hasProfile();
    const $cookieless_mode = consent.isCookieless() || undefined;
    const added = enrichers.map((add) => guard(add, $session_id, context));

    const ids = [$session_id, $window_id, $device_id, $is_identified, $process_person_profile, $groups, $cookieless_mode];
    const sources = [context, registered, ofThisRun, ...ids, ...added];
    if (sources.some((source, index) => source !== cachedFor[index])) {
      cachedFor = sources;
      const state = { $session_id, $window_id, $device_id, $is_identified, $process_person_profile, $groups, $cookieless_mode };
      merged = Object.assign({}, context, library, registered, ofThisRun, state, ...added);
      try {
        // a JSON round trip gives the object V8's fast shape, which spreads several times faster
        merged = JSON.parse(JSON.stringify(merged));
      } catch {
        // `eventJson` handles values that JSON does not know
      }
    }
    const properties = { ...merged };
    // a hook may write into the groups of an event
    if ($groups) properties.$groups = { ...$groups };
    return properties;
  };
  const captureNow = createCapture(ports, consent, identity, outbox, defaultProperties);
  const capture: Client['capture'] = (event, properties, settings) =>
    captureNow(event, properties, settings, undefined, undefined, true);
  /** Wraps methods so that they never throw or reject, and first adopt what other pages have changed. */
  const contain = <Methods extends object>(methods: Methods): Methods => {
    for (const [method, run] of Object.entries(methods)) {
      if (typeof run !== 'function' || run === capture) continue;
      // opting in or out overrules other pages
      const refreshes = !/Out$/.test(method);
      Reflect.set(methods, method, (...args: unknown[]) => {
        try {
          if (refreshes) pages.refresh();
          const result: unknown = Reflect.apply(run, methods, args);
          return result instanceof Promise ? result.catch((error) => failed(method, error)) : result;
        } catch (error) {
          return failed(method, error);
        }
      });
    }
    return methods;
  };

  const identityContext = {
    identity,
    log,
    capture: captureNow,
    allowed(method: string) {
      const isAllowed = options.person_profiles !== 'never';
      if (!isAllowed) log.warn(`profiles:${method}`);
      return !isMuted() && isAllowed;
    },
    changed: (change: Omit<ClientEvents['identity'], 'distinctId'>) =>
      emit('identity', { ...change, distinctId: identity.distinctId() }),
    reset: () => client.reset(),
  };
  const groups = createGroups(slots, identityContext);
  const person = createPerson(slots, options, identityContext);

  const forgetPerson = (newDevice: boolean) => {
    identity.reset(newDevice);
    person.clear();
    groups.clear();
    superProperties.clear();
    session.reset();
  };
  /** Drops unsent events and becomes a new person: nothing may link the person to earlier events. */
  const startOver = () => {
    outbox.clear();
    forgetPerson(true);
    identityContext.changed({ reason: 'reset', reload: true });
  };
  /** After the person, here or on another page, has opted in or out. */
  const consentChanged = () => {
    const status = consent.status();
    if (status === 'granted' && !config.get()) loadConfig();
    emit('consent', status);
    if (status === 'granted') void outbox.flush();
  };
  /** Adopts what another page has stored. */
  const adoptStored = () => {
    const groupsBefore = groups.now();
    const hasAnswer = consent.refresh();
    if (hasAnswer) restrictStorage();
    slots.refresh();
    const event = identity.follow();
    session.follow();
    if (event === 'reset') superProperties.clear(true);
    // another page opted out and cleared the storage
    if (event === 'removed') isRefused() && startOver();
    else if (event || groups.now() !== groupsBefore)
      identityContext.changed({ reason: event ?? 'group', reload: true, adopted: true });
    if (!hasAnswer) return;
    if (consent.status() === 'denied' && consent.isCookieless()) startOver();
    consentChanged();
  };
  const disposals = [pages.stop];

  const client = complete(
    contain<CoreClient>({
      apiKey: key,
      name,
      get isInitialized() {
        return !stopped;
      },
      capture,
      ...person.methods,
      ...groups.methods,
      ...superProperties.methods,
      ...missingFeatures(log),
      reset(how) {
        const { resetDeviceId = how === true, bootstrap }: ResetOptions = Object(how);
        forgetPerson(resetDeviceId);
        person.bootstrap(bootstrap, true);
        identityContext.changed({ reason: 'reset', reload: true });
      },
      getDistinctId: identity.distinctId,
      getAnonymousId: identity.anonymousId,
      getDeviceId: identity.deviceId,
      getSessionId: () => (stopped ? '' : session.id()),
      resetSessionId: session.reset,
      optIn() {
        consent.set('granted');
        restrictStorage();
        consentChanged();
      },
      optOut(how) {
        slots.flush();
        consent.set('denied');
        restrictStorage();
        if (how?.clear || consent.isCookieless()) {
          slots.clear();
          startOver();
        }
        consentChanged();
      },
      isOptedOut: isMuted,
      getConsentStatus: consent.status,
      on: emitter.on,
      setConfig(changes) {
        Object.assign(options, changes);
        if (changes.debug !== undefined) log.verbose(changes.debug);
      },
      debug(on = true) {
        log.verbose(on);
        debugging.set(on || undefined);
      },
      async flush() {
        if (isMuted()) return;
        emit('flush', { leaving: false });
        await outbox.flush();
        slots.flush();
      },
      async shutdown(timeoutMs = 30_000) {
        if (stopped) return;
        const flushed = client.flush();
        stopped = true;
        for (const dispose of disposals.reverse()) guard(() => dispose?.());
        let timer: unknown;
        await Promise.race([
          flushed,
          new Promise<void>((resolve) => {
            timer = platform.timers.set(resolve, timeoutMs);
          }),
        ]);
        platform.timers.clear(timer);
        outbox.stop();
        slots.flush();
        const unsent = outbox.size();
        if (!unsent) return;
        log.warn(`unsent:${unsent}`);
        lost('shutdown', unsent);
      },
    }),
  );

  const announce = stopped ? undefined : person.bootstrap(options.bootstrap, identity.isNew);
  const internals: ClientInternals = {
    platform,
    options: () => options,
    log,
    request,
    enrich: (add) => enrichers.unshift(add),
    slot: slots.slot,
    stored: slots,
    restore: outbox.restore,
    emit,
    guard,
    capture: captureNow,
    isIdentified: identity.isIdentified,
    touchSession() {
      pages.poll();
      return session.id(platform.clock.now());
    },
    sessionStartedAt: session.startedAt,
    remoteConfig: config.get,
    extend: (methods) => Object.assign(client, contain(methods)),
  };
  for (const feature of features) {
    disposals.push(guard(() => feature.setup(client, internals)));
  }
  pages.start();
  announce?.();
  disposals.push(
    platform.onHide?.(() => {
      guard(() => emit('flush', { leaving: true }));
      guard(outbox.leave);
    }),
  );
  loadConfig();
  guard(() => options.loaded?.(client));
  return client;
}
