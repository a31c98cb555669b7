import type { CapturedEvent } from './event.js';
import { isRecord } from './is-record.js';

/** Whether the server takes it for an event, its id aside. */
export function isSendable(event: unknown): event is CapturedEvent {
  return isRecord(event) && isRecord(event.properties) && !!(event.event && event.distinct_id);
}
