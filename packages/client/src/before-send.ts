import type { CapturedEvent } from './event.js';
import { isRecord } from './is-record.js';
import type { BeforeSend } from './options.js';
import type { Log } from './platform.js';

/** Runs the hooks in order, each on the output of the one before. Returns null to drop the event: a hook returned nothing, threw, or returned no valid event. */
export function runBeforeSend(
  hooks: BeforeSend | BeforeSend[] | undefined,
  event: CapturedEvent,
  log: Log,
): CapturedEvent | null {
  if (!hooks) return event;
  let current = event;
  try {
    for (const hook of Array.isArray(hooks) ? hooks : [hooks]) {
      const next = hook(current);
      if (!next) return null;
      // the server refuses a whole batch for one invalid event
      if (!isSendable(next)) throw next;
      current = next;
    }
    return current;
  } catch (error) {
    log.warn('failed:before_send', error);
    return null;
  }
}

/** Whether the server takes it for an event, its id aside. */
export function isSendable(event: unknown): event is CapturedEvent {
  return isRecord(event) && isRecord(event.properties) && !!(event.event && event.distinct_id);
}
