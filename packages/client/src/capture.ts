import { runBeforeSend } from './before-send.js';
import type { ClientInternals } from './client.js';
import type { Consent } from './consent.js';
import { copied } from './copied.js';
import type { CapturedEvent, CaptureOptions, Loss, Properties } from './event.js';
import { eventTime, isoTime, isUuid } from './event-time.js';
import type { Identity } from './identity.js';
import { isRecord } from './is-record.js';
import type { ClientLog } from './log.js';
import type { ClientOptions } from './options.js';
import type { Outbox } from './outbox.js';
import type { Platform } from './platform.js';
import { createRateLimit } from './rate-limit.js';

interface Ports {
  platform: Platform;
  options: ClientOptions;
  log: ClientLog;
  emit: ClientInternals['emit'];
  /** The person has opted out, or the client is off: nothing is captured. */
  isMuted(at: number): boolean;
  lost(reason: Loss, count: number): undefined;
}

/**
 * Captures events: an event is checked, gets the default properties, runs through the hooks of the options, and is queued. Only events that the
 * application captures itself (`isPublic`) are validated and rate limited. The function catches errors by itself, since the wrapper of the other
 * methods takes a twentieth of the time of an event.
 * @param defaultProperties a new object for each event
 */
export function createCapture(
  { platform, options, log, emit, isMuted, lost }: Ports,
  consent: Consent,
  identity: Identity,
  outbox: Outbox,
  defaultProperties: (at: number) => Properties,
) {
  const { now } = platform.clock;
  const takeToken = createRateLimit(now(), options);
  /** Whether the reason why nothing is captured was logged. */
  let isExplained = false;

  /** Builds an event. Settings win over properties of the same name; an invalid time or uuid is replaced, with a warning. */
  const assemble = (event: string, properties: Properties, at: number, settings: CaptureOptions): CapturedEvent => {
    const { timestamp, uuid } = settings;
    for (const name of ['$set', '$set_once', '$unset'] as const) if (settings[name]) properties[name] = copied(settings[name]);
    const time = timestamp == null ? undefined : eventTime(timestamp);
    const id = isUuid(uuid) ? uuid : undefined;
    if ((timestamp != null && !time) || (uuid && !id)) log.warn('stamp', timestamp, uuid);
    return {
      event,
      distinct_id: identity.distinctId(),
      properties,
      timestamp: time ?? isoTime(at),
      uuid: id ?? platform.ids.uuid7(at),
    };
  };

  return (
    event: string,
    properties?: Properties | null,
    settings?: CaptureOptions | null,
    trim?: (defaults: Properties) => void,
    time?: number,
    isPublic?: boolean,
  ): CapturedEvent | undefined => {
    try {
      const at = time ?? now();
      if (isPublic) {
        if (typeof event !== 'string' || !event.trim()) return void log.warn('name');
        if (properties && !isRecord(properties)) {
          log.warn(`properties:${event}`);
          properties = undefined;
        }
        if (event === '$exception') log.warn('exception');
      }
      if (isMuted(at)) {
        if (!isExplained) isExplained = log.debug(`silent:${consent.refusal()}`);
        return undefined;
      }
      if (isPublic && !takeToken(at)) {
        log.warn('rate');
        return lost('rate_limited', 1);
      }

      const all = defaultProperties(at);
      trim?.(all);
      if (properties) for (const name of Object.keys(properties)) all[name] = copied(properties[name]);
      const draft = assemble(event, all, at, settings ?? {});

      for (const denied of options.property_denylist ?? []) delete draft.properties[denied];
      if (options.sanitize_properties) draft.properties = options.sanitize_properties(draft.properties, event);
      const captured = runBeforeSend(options.before_send, draft, log);
      if (!captured) return lost('before_send', 1);
      if (options.before_send && !isUuid(captured.uuid)) captured.uuid = platform.ids.uuid7();

      outbox.push(captured, at);
      emit('eventCaptured', captured);
      if (settings?.send_instantly) void outbox.flush();
      return captured;
    } catch (error) {
      return void log.error('failed:capture', error);
    }
  };
}
