import { copied } from './copied.js';
import type { CapturedEvent, CaptureOptions, Properties } from './event.js';
import { eventTime, isoTime, isUuid } from './event-time.js';
import type { Log, Platform } from './platform.js';

/** Builds an event. Options win over properties of the same name; an invalid time or uuid is replaced, with a warning. */
export function assemble(
  platform: Platform,
  log: Log,
  event: string,
  distinctId: string,
  properties: Properties,
  now: number,
  options?: CaptureOptions | null,
): CapturedEvent {
  const { timestamp, uuid } = options ?? {};
  for (const name of ['$set', '$set_once', '$unset'] as const) if (options?.[name]) properties[name] = copied(options[name]);
  const time = timestamp == null ? undefined : eventTime(timestamp);
  const id = isUuid(uuid) ? uuid : undefined;
  if ((timestamp != null && !time) || (uuid && !id)) log.warn('stamp', timestamp, uuid);
  return {
    event,
    distinct_id: distinctId,
    properties,
    timestamp: time ?? isoTime(now),
    uuid: id ?? platform.ids.uuid7(now),
  };
}
