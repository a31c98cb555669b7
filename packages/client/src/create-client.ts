import { assemble } from './assemble.js';
import { runBeforeSend } from './before-send.js';
import type { Client, ClientEvents, ClientInternals, CoreClient, Feature, ResetOptions } from './client.js';
import { createConsent } from './consent.js';
import { copied } from './copied.js';
import { createDefaultProperties } from './default-properties.js';
import { createEmitter } from './emitter.js';
import type { CapturedEvent, CaptureOptions, Loss, Properties } from './event.js';
import { eventJson } from './event-json.js';
import { isUuid } from './event-time.js';
import { createGroups } from './groups.js';
import { createIdentity } from './identity.js';
import { isRecord } from './is-record.js';
import { createLog } from './log.js';
import { missingFeatures } from './missing-features.js';
import type { ClientOptions } from './options.js';
import { watchOtherPages } from './other-pages.js';
import { createOutbox } from './outbox.js';
import { createPerson } from './person.js';
import type { Platform } from './platform.js';
import { createRateLimit } from './rate-limit.js';
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
  const guard = <Given extends unknown[], Result>(run: (...given: Given) => Result, ...given: Given): Result | undefined => {
    try {
      return run(...given);
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
  const pages = watchOtherPages(platform, () => follow());
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
  const boot = options.bootstrap;
  const session = createSession({ ...platform, log }, slots, options, (change) => emit('session', change));

  const host = (other?: string) => (other ?? options.api_host ?? '').replace(/\/+$/, '');
  let blocked = 0;
  const post: ClientInternals['request'] = async (path, { body, timeoutMs, host: other, leaving } = {}) => {
    try {
      const json = body === undefined || typeof body === 'string' ? body : eventJson(body);
      const settings = { compress: !options.disable_compression, timeoutMs, leaving, headers: options.request_headers };
      const answer = await send(platform, host(other) + path, json, settings);
      blocked = 0;
      return answer;
    } catch (error) {
      log.debug('answer', error);
      // a page that ends or is frozen gets no answers either
      if (!leaving && platform.online?.isOnline() !== false && ++blocked === 3) guard(() => options.on_blocked?.());
      throw error;
    }
  };
  const lost = (reason: Loss, count: number) => void emit('loss', { reason, count });
  const outbox = createOutbox({
    platform,
    slots,
    options,
    log,
    apiKey: key,
    url: host,
    isMuted,
    request: post,
    lost,
  });
  const config = createRemoteConfig(
    slots,
    () => post(options.paths?.config ?? `/array/${key}/config`),
    (loaded) => emit('config', loaded),
  );

  const loadConfig = () => {
    if (!options.disable_remote_config && !isMuted()) void config.load();
  };

  const { now } = platform.clock;
  const allowance = createRateLimit(now(), options);

  const library = { $lib: platform.library.name, $lib_version: platform.library.version };
  const enrichers: Parameters<ClientInternals['enrich']>[0][] = [];
  const merged = createDefaultProperties(
    ([
      context,
      persisted,
      ofThisRun,
      $session_id,
      $window_id,
      $device_id,
      $is_identified,
      profile,
      $groups,
      cookieless,
      ...added
    ]) => {
      const own = { $session_id, $window_id, $device_id, $is_identified, $process_person_profile: profile, $groups };
      return [context, library, persisted, ofThisRun, { ...own, $cookieless_mode: cookieless }, ...added];
    },
  );
  /** A copy of the properties that every event has. */
  const defaultProperties = (at: number): Properties => {
    const id = session.id(at);
    const inGroups = groups.now();
    const context = platform.context && guard(platform.context);
    const registered = superProperties.now();
    const sources: unknown[] = [
      context,
      registered[0],
      registered[1],
      id,
      platform.windowId?.(),
      identity.deviceId(),
      identity.isIdentified(),
      identity.hasProfile(),
      inGroups,
      consent.isCookieless() || undefined,
    ];
    for (const add of enrichers) sources.push(guard(add, id, context));
    const properties = { ...merged(sources) };
    // a hook may write into the groups of an event
    if (inGroups) properties.$groups = { ...inGroups };
    return properties;
  };
  /** Whether the reason why nothing is captured was logged. */
  let explained = false;
  /**
   * Captures an event of a feature, or of the page: only those of the page are checked and limited. It catches errors by itself, since `contain`
   * takes a twentieth of the time of an event.
   */
  const captureNow = (
    event: string,
    given?: Properties | null,
    more?: CaptureOptions,
    trim?: (defaults: Properties) => void,
    time?: number,
    isOfPage?: boolean,
  ): CapturedEvent | undefined => {
    try {
      const at = time ?? now();
      let properties = given;
      if (isOfPage) {
        if (typeof event !== 'string' || !event.trim()) return void log.warn('name');
        if (properties && !isRecord(properties)) {
          log.warn(`properties:${event}`);
          properties = undefined;
        }
        if (event === '$exception') log.warn('exception');
      }
      if (isMuted(at)) {
        if (!explained) explained = log.debug(`silent:${consent.refusal()}`);
        return undefined;
      }
      if (isOfPage && !allowance(at)) {
        log.warn('rate');
        return lost('rate_limited', 1);
      }
      const all = defaultProperties(at);
      trim?.(all);
      if (properties) for (const name of Object.keys(properties)) all[name] = copied(properties[name]);
      const draft = assemble(platform, log, event, identity.distinctId(), all, at, more);
      for (const denied of options.property_denylist ?? []) delete draft.properties[denied];
      if (options.sanitize_properties) draft.properties = options.sanitize_properties(draft.properties, event);
      const captured = runBeforeSend(options.before_send, draft, log);
      if (!captured) return lost('before_send', 1);
      if (options.before_send && !isUuid(captured.uuid)) captured.uuid = platform.ids.uuid7();
      outbox.push(captured, at);
      emit('eventCaptured', captured);
      if (more?.send_instantly) void outbox.flush();
      return captured;
    } catch (error) {
      return failed('capture', error);
    }
  };
  const capture: Client['capture'] = (event, properties, more) => captureNow(event, properties, more, undefined, undefined, true);
  /** Wraps methods so that they never throw or reject, and first adopt what other pages have changed. */
  const contain = <Methods extends object>(methods: Methods): Methods => {
    for (const [method, run] of Object.entries(methods)) {
      if (typeof run !== 'function' || run === capture) continue;
      // opting in or out overrules other pages
      const refreshes = !/Out$/.test(method);
      Reflect.set(methods, method, (...given: unknown[]) => {
        try {
          if (refreshes) pages.refresh();
          const result: unknown = Reflect.apply(run, methods, given);
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
      if (options.person_profiles === 'never') log.warn(`profiles:${method}`);
      return !isMuted() && options.person_profiles !== 'never';
    },
    changed: (change: Omit<ClientEvents['identity'], 'distinctId'>) =>
      emit('identity', { ...change, distinctId: identity.distinctId() }),
    reset: () => client.reset(),
  };
  const groups = createGroups(slots, identityContext);
  const person = createPerson(slots, options, identityContext);

  const forget = (newDevice: boolean) => {
    identity.reset(newDevice);
    person.clear();
    groups.clear();
    superProperties.clear();
    session.reset();
  };
  /** Drops unsent events and becomes a new person: nothing may link the person to earlier events. */
  const discard = () => {
    outbox.clear();
    forget(true);
    identityContext.changed({ reason: 'reset', reload: false });
  };
  const answered = () => {
    const status = consent.status();
    if (status === 'granted' && !config.get()) loadConfig();
    emit('consent', status);
    if (status === 'granted') void outbox.flush();
  };
  /** Adopts what another page has stored. */
  const follow = () => {
    const groupsBefore = groups.now();
    const hasAnswer = consent.refresh();
    if (hasAnswer) restrictStorage();
    slots.refresh();
    const event = identity.follow();
    session.follow();
    if (event === 'reset') superProperties.clear(true);
    // another page opted out and cleared the storage
    if (event === 'removed') isRefused() && discard();
    else if (event || groups.now() !== groupsBefore)
      identityContext.changed({ reason: event ?? 'group', reload: true, adopted: true });
    if (!hasAnswer) return;
    if (consent.status() === 'denied' && consent.isCookieless()) discard();
    answered();
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
        restrictStorage();
        answered();
      },
      optOut(how) {
        slots.flush();
        consent.set('denied');
        restrictStorage();
        if (how?.clear || consent.isCookieless()) {
          slots.clear();
          discard();
        }
        answered();
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
        if (outbox.size()) {
          log.warn(`unsent:${outbox.size()}`);
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
    stored: slots,
    restore: outbox.restore,
    emit,
    guard,
    capture: captureNow,
    isIdentified: identity.isIdentified,
    touchSession() {
      pages.poll();
      return session.id(now());
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
  const unhide = platform.onHide?.(() => {
    guard(() => emit('flush', { leaving: true }));
    guard(outbox.leave);
  });
  if (unhide) disposals.push(unhide);
  loadConfig();
  guard(() => options.loaded?.(client));
  return client;
}
