import { type CapturedEvent, type ClientLog, eventTime, isUuid, type Properties } from '@tidemark/client';
import type { EventMessage, Groups } from '../node-client.js';
import type { NodePlatform } from '../node-platform.js';
import type { RequestContext } from '../request/request-context.js';

/** Creates events from the arguments of the client's methods. */
export interface EventMaker {
  /** undefined: the arguments are invalid, and a warning was logged. */
  make(message: EventMessage): CapturedEvent | undefined;
  /** Who a call is about: whom it names, else whom the request names. */
  distinctIdOf(id: unknown): string | undefined;
}

export interface EventMakerSettings {
  /** Of each event, below the caller's. */
  common: Properties;
  context(): RequestContext | undefined;
}

export function createEventMaker(platform: NodePlatform, settings: EventMakerSettings, log: ClientLog): EventMaker {
  /** Generated ids for requests without a person, so that all events of one request have the same. */
  const strangers = new WeakMap<RequestContext, string>();

  function strangerOf(context: RequestContext): string {
    const id = strangers.get(context) ?? platform.ids.uuid7();
    strangers.set(context, id);
    return id;
  }

  const distinctIdOf = (id: unknown) => nameOf(id) ?? settings.context()?.distinctId;

  function timeOf({ timestamp }: EventMessage): string {
    const time = timestamp == null ? undefined : eventTime(timestamp);
    if (timestamp != null && !time)
      log.warn('capture: timestamp is no date, so the event has the time of its capture:', timestamp);
    return time ?? new Date(platform.clock.now()).toISOString();
  }

  function uuidOf({ uuid }: EventMessage): string {
    if (isUuid(uuid)) return uuid;
    if (uuid != null) log.warn('capture: uuid is no UUID, so the event gets another:', uuid);
    return platform.ids.uuid7();
  }

  function given({ event, properties }: EventMessage): Properties {
    if (properties === undefined || (typeof properties === 'object' && !Array.isArray(properties))) return properties ?? {};
    log.warn(`capture: properties must be an object, so they are left out: ${event}`);
    return {};
  }

  function flagProperties({ event, flags }: EventMessage): Properties | undefined {
    if (flags == null || typeof flags.eventProperties === 'function') return flags?.eventProperties();
    log.warn(`capture: flags must come from evaluateFlags, so they are left out: ${event}`);
    return undefined;
  }

  return {
    distinctIdOf,
    make: (message) => {
      const { event, groups } = message;
      if (typeof event !== 'string' || !event.trim())
        return void log.warn('capture needs the name of an event, so it was dropped:', event);
      const context = settings.context();
      const known = distinctIdOf(message.distinctId);
      if (!known && !context) return void log.warn(`capture needs a distinctId outside of requests, so it was dropped: ${event}`);
      return {
        event,
        distinct_id: known ?? strangerOf(context ?? {}),
        properties: {
          ...settings.common,
          ...context?.properties,
          ...(context?.sessionId ? { $session_id: context.sessionId } : {}),
          ...(known ? {} : { $process_person_profile: false }),
          ...flagProperties(message),
          ...(groups && Object.keys(groups).length ? { $groups: groupKeys(groups) } : {}),
          ...given(message),
          ...(message.disableGeoip === undefined ? {} : { $geoip_disable: message.disableGeoip }),
          $lib: platform.library.name,
          $lib_version: platform.library.version,
        },
        timestamp: timeOf(message),
        uuid: uuidOf(message),
      };
    },
  };
}

/** An id as text; numbers are converted. undefined: it is empty or no id. */
export function nameOf(id: unknown): string | undefined {
  const name = typeof id === 'number' ? String(id) : id;
  return typeof name === 'string' && name.trim() ? name : undefined;
}

/** Keys as text, without empty ones. */
export function groupKeys(groups?: Groups): Record<string, string> {
  const keys = Object.entries(groups ?? {}).flatMap(([type, key]) => {
    const name = nameOf(key);
    return name ? [[type, name] as const] : [];
  });
  return Object.fromEntries(keys);
}
