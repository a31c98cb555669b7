import {
  type CapturedEvent,
  createCalledTracker,
  createLog,
  eventJson,
  keepMinimal,
  readOptions,
  runBeforeSend,
  withMessages,
} from '@tidemark/client';
import { createDelivery, type Delivery } from './events/delivery.js';
import { createEventMaker } from './events/event-maker.js';
import { createEventMethods } from './events/event-methods.js';
import { propertiesOfException } from './exceptions/capture-exception.js';
import { watchProcess } from './exceptions/process-exceptions.js';
import { isShort, propertiesOfCall, useOf } from './flags/flag-called.js';
import { createFlagMethods, type FlagRead } from './flags/flag-methods.js';
import { createFlagSource } from './flags/flag-source.js';
import type { EventMessage, NodeClient } from './node-client.js';
import type { NodeOptions } from './node-options.js';
import type { NodePlatform } from './node-platform.js';
import { ALIASES, type GivenNodeOptions, OPTION_NAMES } from './option-names.js';
import { createBootstrap } from './request/bootstrap.js';
import { createRequestContexts } from './request/request-context.js';
import { awaited } from './within.js';

/** Events about AI are larger than others, so they have a queue and a route of their own. */
const AI_PATH = '/i/v0/ai/batch/';
/** Bytes of JSON. */
const LARGEST_AI_EVENT = 8 << 20;
const SHUTDOWN_MS = 30_000;
/** A process that ends with an error does not linger. */
const LAST_WORDS_MS = 2_000;

/** A client on any platform; applications call `init`. */
export function createNodeClient(apiKey: string, given: GivenNodeOptions, platform: NodePlatform): NodeClient {
  const { options, similar } = readOptions<NodeOptions>(given, OPTION_NAMES, ALIASES);
  const log = createLog(withMessages(platform.log));
  log.verbose(options.debug === true);
  for (const [name, known] of similar) log.warn(`The option ${name} is unknown: did you mean ${known}?`);
  const host = String(options.host ?? '').replace(/\/+$/, '');
  const fault = faultOf(apiKey, host);
  if (fault) log.error(fault);
  let optedOut = options.optedOut === true;
  let stopping: Promise<void> | undefined;
  const isOff = () => {
    if (stopping) log.warn('The client was shut down: what is captured now is dropped');
    return optedOut || fault !== undefined || stopping !== undefined;
  };

  const contexts = createRequestContexts();
  const open = new Map<string, Delivery>();
  const deliveryTo = (path: string) => {
    const delivery = open.get(path) ?? createDelivery(platform, { apiKey, host, options, log, path });
    open.set(path, delivery);
    return delivery;
  };
  const allDeliveries = async (work: (delivery: Delivery) => unknown) => void (await Promise.all([...open.values()].map(work)));
  const common = { $is_server: true, $geoip_disable: options.disableGeoip ?? true, ...options.properties };
  const maker = createEventMaker(platform, { common, context: contexts.current }, log);

  /** The one way of an event to the queue; null: it was dropped. */
  function enqueue(event: CapturedEvent | undefined, sendInstantly = false, path = '/batch/'): string | null {
    const captured = event && runBeforeSend(options.before_send ?? options.beforeSend, event, log);
    if (!captured) return null;
    try {
      const json = eventJson(captured, 0);
      const bytes = path === AI_PATH ? Buffer.byteLength(json) : 0;
      if (bytes > LARGEST_AI_EVENT) {
        log.warn(`An AI event is too large, so it was dropped: ${captured.event}, ${bytes} bytes`);
        return null;
      }
      deliveryTo(path).push(json);
    } catch (error) {
      log.warn('An event is no JSON, so it was dropped:', error);
      return null;
    }
    if (sendInstantly) void deliveryTo(path).flush();
    return captured.uuid;
  }
  const submit = (message: EventMessage, path?: string) =>
    isOff() ? null : enqueue(maker.make(message), message?.sendInstantly, path);

  const reported = createCalledTracker(options.maxFlagCallsRemembered ?? 50_000);
  function called(read: FlagRead): void {
    if (isOff() || !reported.isFirst(useOf(read))) return;
    const { distinctId, groups } = read.subject;
    const properties = propertiesOfCall(read);
    const event = maker.make({ distinctId, event: '$feature_flag_called', groups });
    if (!event) return;
    if (isShort(read)) keepMinimal(event.properties);
    else properties[`$feature/${read.key}`] = read.flag?.value;
    enqueue({ ...event, properties: { ...event.properties, ...properties } });
  }

  const { evaluator, definitions } = createFlagSource(platform, { apiKey, host, options, log, off: fault !== undefined });
  const { forgetFlags, ...flags } = createFlagMethods({
    evaluator,
    log,
    distinctIdOf: maker.distinctIdOf,
    called,
    onlyLocally: options.onlyEvaluateLocally === true || fault !== undefined,
  });

  const captureException: NodeClient['captureException'] = (error, distinctId, properties, hint) => {
    const readSource = options.enableSourceContext === false ? undefined : platform.readSource;
    const capture = () => {
      const exception = propertiesOfException(error, properties, { type: 'generic', handled: true, ...hint }, readSource);
      return submit({ event: '$exception', properties: exception, ...(distinctId === undefined ? {} : { distinctId }) });
    };
    if (isOff()) return null;
    // an exception without a distinct id is captured, too
    return maker.distinctIdOf(distinctId) || contexts.current() ? capture() : contexts.run({}, capture);
  };

  const stopWatching = options.enableExceptionAutocapture
    ? watchProcess(
        platform.process,
        (error, { type, source, fatal }) =>
          captureException(error, undefined, {}, { type, source, handled: false, level: fatal ? 'fatal' : 'error' }),
        () => client.shutdown(LAST_WORDS_MS),
      )
    : undefined;
  const stopIdling = platform.onIdle?.(() => void allDeliveries((delivery) => delivery.lastWords()));

  const client: NodeClient = {
    ...createEventMethods(submit, maker.distinctIdOf, log),
    captureAi: (message) => {
      // the route takes no others, and refuses the whole batch for one
      if (String(message?.event).startsWith('$ai_')) return submit(message, AI_PATH);
      log.warn(`captureAi is for events whose names begin with $ai_, so it was dropped: ${message?.event}`);
      return null;
    },
    captureException,
    ...flags,
    getBootstrap: createBootstrap({ apiKey, newId: platform.ids.uuid7, flags }),
    reloadFeatureFlags: () => awaited(platform, async () => definitions?.refresh()),
    whenFlagsReady: (timeoutMs = 3_000) => awaited(platform, async () => (await definitions?.ready(timeoutMs)) ?? false),
    withContext: (context, work) => contexts.run({ ...contexts.current(), ...context }, work),
    getContext: contexts.current,
    optIn: () => {
      optedOut = false;
    },
    optOut: () => {
      optedOut = true;
    },
    isOptedOut: () => optedOut,
    debug: (on = true) => log.verbose(on),
    reset: () => {
      forgetFlags();
      reported.clear();
    },
    flush: () => allDeliveries((delivery) => delivery.flush()),
    shutdown: (timeoutMs = SHUTDOWN_MS) => {
      stopping ??= awaited(platform, async () => {
        stopWatching?.();
        stopIdling?.();
        await Promise.all([definitions?.shutdown(), allDeliveries((delivery) => delivery.shutdown(timeoutMs))]);
        reported.clear();
      });
      return stopping;
    },
  };
  return client;
}

/** Why nothing can come of this client, in one sentence. */
function faultOf(apiKey: string, host: string): string | undefined {
  if (typeof apiKey !== 'string' || !apiKey.trim()) return 'A project key is needed; without it nothing is captured.';
  if (/^(tms_|phx_)/.test(apiKey))
    return 'This is a secret key: the first argument of init is the project key, personalApiKey is for this one.';
  return /^https?:\/\//.test(host)
    ? undefined
    : 'The option host is needed, such as https://analytics.example.com; without it nothing is captured.';
}
