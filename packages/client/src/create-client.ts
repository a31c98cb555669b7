import { assemble } from './assemble.js';
import { runBeforeSend } from './before-send.js';
import type { Client, ClientEvents, ClientInternals, CoreClient, Feature, ResetOptions } from './client.js';
import { createConsent } from './consent.js';
import { createEmitter } from './emitter.js';
import type { Loss, Properties } from './event.js';
import { eventJson } from './event-json.js';
import { isUuid } from './event-time.js';
import { createGroups } from './groups.js';
import { createIdentity } from './identity.js';
import { isRecord } from './is-record.js';
import { createLog } from './log.js';
import { missingFeatures } from './missing-features.js';
import type { ClientOptions } from './options.js';
import { createOutbox } from './outbox.js';
import { createPerson } from './person.js';
import type { Platform } from './platform.js';
import { createRateLimit } from './rate-limit.js';
import { createRemoteConfig } from './remote-config.js';
import { send } from './sender.js';
import { createSession } from './session.js';
import { createSlots } from './slots.js';
import { createStanding } from './standing.js';
import { createSuperProperties } from './super-properties.js';

/** The features bring what is missing, before anybody but them has the client: that is what the compiler is told here. */
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
  const guard = <Given extends unknown[], Result>(run: (...given: Given) => Result, ...given: Given): Result | undefined => {
    try {
      return run(...given);
    } catch (error) {
      log.error('Failed:', error);
      return undefined;
    }
  };
  const name = options.name ?? 'default';
  const key = typeof apiKey === 'string' ? apiKey.trim() : '';
  const prefix = `tm.${key}.${name}.`;
  let stopped = !key || /^(tms_|phx_)/.test(key);
  if (stopped) {
    log.error(key ? 'This is a secret key.' : 'No project key.');
  }

  const emitter = createEmitter<ClientEvents>(guard);
  const { emit } = emitter;
  const slots = createSlots(platform.store, prefix, platform.timers, log);
  const consent = createConsent(platform, `${prefix}consent`, () => options, log);
  const mute = () => stopped || consent.isOptedOut();
  const holdStorage = () => slots.hold(consent.isCookieless() ? 'nothing' : mute() ? 'no_writes' : undefined);
  holdStorage();
  const debugging = slots.slot('debug', (stored) => (stored === true ? true : undefined));
  log.verbose(options.debug ?? debugging.get() === true);

  const identity = createIdentity(platform, slots, () => options, guard);
  const superProperties = createSuperProperties(slots);
  const boot = options.bootstrap;
  const session = createSession(
    { ...platform, log },
    slots,
    () => options.session_idle_timeout_seconds,
    boot?.sessionId ?? boot?.sessionID,
    (change) => emit('session', change),
  );

  const host = (other?: string) => (other ?? options.api_host ?? '').replace(/\/+$/, '');
  let blocked = 0;
  const post: ClientInternals['request'] = async (path, { body, timeoutMs, host: other } = {}) => {
    try {
      const json = body === undefined || typeof body === 'string' ? body : eventJson(body);
      const settings = { compress: !options.disable_compression, timeoutMs, headers: options.request_headers };
      const answer = await send(platform, host(other) + path, json, settings);
      blocked = 0;
      return answer;
    } catch (error) {
      log.debug('No answer:', error);
      if (platform.online?.isOnline() !== false && ++blocked === 3) guard(() => options.on_blocked?.());
      throw error;
    }
  };
  const lost = (reason: Loss, count: number) => emit('loss', { reason, count });
  const outbox = createOutbox({
    platform,
    slots,
    options: () => options,
    log,
    apiKey: key,
    url: host,
    mute,
    post: (path, body) => post(path, { body }),
    lost,
  });
  const config = createRemoteConfig(
    slots,
    () => post(options.paths?.config ?? `/array/${key}/config`),
    (loaded) => emit('config', loaded),
  );

  const loadConfig = () => {
    if (!options.disable_remote_config && !mute()) void config.load();
  };

  const enrichers: Parameters<ClientInternals['enrich']>[0][] = [];
  const { now } = platform.clock;
  const allowance = createRateLimit(now(), options);

  const library = { $lib: platform.library.name, $lib_version: platform.library.version };
  const whole = createStanding();
  /** A copy of what stands on every event. */
  const standing = (at: number): Properties => {
    const $session_id = session.id(at);
    const $groups = groups.now();
    const context = platform.context && guard(platform.context);
    const own = {
      $session_id,
      $window_id: platform.windowId?.(),
      $device_id: identity.deviceId(),
      $is_identified: identity.isIdentified(),
      $process_person_profile: identity.hasProfile(),
      $groups,
      $cookieless_mode: consent.isCookieless() || undefined,
    };
    const before = [context, library, ...superProperties.now()];
    const after = enrichers.map((add) => guard(add, $session_id, context));
    const properties = { ...whole([...before, ...Object.values(own), ...after], () => [...before, own, ...after]) };
    // hooks may write into an event
    if ($groups) properties.$groups = { ...$groups };
    return properties;
  };
  const captureNow: ClientInternals['capture'] = (event, properties, more, trim, at = now()) =>
    guard(() => {
      if (mute()) return undefined;
      const stands = standing(at);
      trim?.(stands);
      const made = assemble(platform, log, event, identity.distinctId(), Object.assign(stands, properties), at, more);
      for (const denied of options.property_denylist ?? []) delete made.properties[denied];
      if (options.sanitize_properties) made.properties = options.sanitize_properties(made.properties, event);
      const kept = runBeforeSend(options.before_send, made, log);
      if (!kept) {
        lost('before_send', 1);
        return undefined;
      }
      if (options.before_send && !isUuid(kept.uuid)) kept.uuid = platform.ids.uuid7();
      outbox.push(kept, at);
      emit('eventCaptured', kept);
      if (more?.send_instantly) void outbox.flush();
      return kept;
    });
  const capture: Client['capture'] = (event, properties, more) => {
    if (typeof event !== 'string' || !event.trim()) {
      log.warn('capture needs a name.');
      return undefined;
    }
    const fit = !properties || isRecord(properties);
    if (!fit) log.warn(`Properties of "${event}" are no object.`);
    if (event === '$exception') log.warn('Use captureException.');
    const at = now();
    if (!mute() && !allowance(at)) {
      log.warn('Too many events.');
      lost('rate_limited', 1);
      return undefined;
    }
    return captureNow(event, fit ? properties : {}, more, undefined, at);
  };

  const identityContext = {
    identity,
    log,
    capture: captureNow,
    allowed(method: string) {
      if (options.person_profiles === 'never') log.warn(`${method}: person_profiles is never.`);
      return !mute() && options.person_profiles !== 'never';
    },
    changed: (change: Omit<ClientEvents['identity'], 'distinctId'>) =>
      emit('identity', { ...change, distinctId: identity.distinctId() }),
  };
  const groups = createGroups(slots, identityContext);
  const person = createPerson(slots, () => options, identityContext);

  const forget = (newDevice: boolean) => {
    identity.reset(newDevice);
    person.clear();
    groups.clear();
    superProperties.clear();
    session.reset();
  };
  const disposals: (() => void)[] = [];

  /** Makes methods that never throw of methods that may. */
  const contain = <Methods extends object>(methods: Methods): Methods => {
    for (const [method, run] of Object.entries(methods)) {
      if (typeof run === 'function')
        Reflect.set(methods, method, (...given: unknown[]) => guard(Reflect.apply, run, methods, given));
    }
    return methods;
  };
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
        forget(resetDeviceId);
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
        holdStorage();
        if (!config.get()) loadConfig();
        void outbox.flush();
        emit('consent', 'granted');
      },
      optOut(how) {
        slots.flush();
        consent.set('denied');
        holdStorage();
        if (how?.clear || consent.isCookieless()) {
          slots.clear();
          outbox.clear();
          forget(true);
        }
        emit('consent', 'denied');
      },
      isOptedOut: mute,
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
        if (mute()) return;
        emit('flush', { leaving: false });
        await outbox.flush();
        slots.flush();
      },
      async shutdown(timeoutMs = 30_000) {
        if (stopped) return;
        const flushed = client.flush();
        stopped = true;
        for (const dispose of disposals.reverse()) guard(dispose);
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
        if (outbox.size()) {
          log.warn(`${outbox.size()} events unsent.`);
          lost('shutdown', outbox.size());
        }
      },
    }),
  );

  const announce = stopped ? undefined : person.bootstrap(boot, identity.isNew);
  const internals: ClientInternals = {
    platform,
    options: () => options,
    log,
    request: post,
    enrich: (add) => enrichers.unshift(add),
    slot: slots.slot,
    emit,
    guard,
    capture: captureNow,
    isIdentified: identity.isIdentified,
    touchSession: () => session.id(now()),
    sessionStartedAt: session.startedAt,
    remoteConfig: config.get,
    extend: (methods) => Object.assign(client, contain(methods)),
  };
  for (const feature of features) {
    const dispose = guard(() => feature.setup(client, internals));
    if (dispose) disposals.push(dispose);
  }
  announce?.();
  const unhide = platform.onHide?.(() => {
    guard(() => emit('flush', { leaving: true }));
    guard(outbox.leave);
  });
  if (unhide) disposals.push(unhide);
  loadConfig();
  guard(() => options.loaded?.(client));
  return client;
}
