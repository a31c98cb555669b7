import type { ClientInternals } from './client.js';
import type { CapturedEvent, CaptureOptions, Properties } from './event.js';
import { eventTime, isUuid } from './event-time.js';
import type { Log, Platform } from './platform.js';

export interface Assembly {
  platform: Platform;
  log: Log;
  guard: ClientInternals['guard'];
  distinctId: string;
  /** Fills in what stands on every event. */
  standing(properties: Properties, event: string): void;
}

/** Puts an event together. Properties of the call win over all others; times and ids that cannot be are replaced. */
export function assemble(
  { platform, log, guard, distinctId, standing }: Assembly,
  event: string,
  given: Properties | null | undefined,
  options: CaptureOptions = {},
): CapturedEvent {
  const now = platform.clock.now();
  // A plain copy is the fastest way to many properties; all others are added to it.
  const properties: Properties = { ...guard(() => platform.context?.()) };
  properties.$lib = platform.library.name;
  properties.$lib_version = platform.library.version;
  standing(properties, event);
  if (given) Object.assign(properties, given);
  const { $set, $set_once, $unset, timestamp, uuid } = options;
  if ($set) properties.$set = $set;
  if ($set_once) properties.$set_once = $set_once;
  if ($unset) properties.$unset = $unset;
  const time = timestamp === undefined ? undefined : eventTime(timestamp);
  const id = isUuid(uuid) ? uuid : undefined;
  if ((timestamp !== undefined && !time) || (uuid && !id)) log.warn('Bad timestamp or uuid replaced:', timestamp, uuid);
  return {
    event,
    distinct_id: distinctId,
    properties,
    timestamp: time ?? new Date(now).toISOString(),
    uuid: id ?? platform.ids.uuid7(now),
  };
}
