import { copied } from './copied.js';
import type { CapturedEvent, CaptureOptions, Properties } from './event.js';
import { eventTime, isoTime, isUuid } from './event-time.js';
import type { Log, Platform } from './platform.js';

/** Puts an event together. What the options say wins over the properties; times and ids that cannot be are replaced. */
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
