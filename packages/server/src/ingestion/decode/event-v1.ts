import type { CaptureV1DropTag } from '@tidemark/wire';
import { isIllegalDistinctId, isOver200Bytes } from '../../http/sdk/index.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import type { CapturedEvent } from '../capture.js';
import { eventTime } from './event-time.js';
import { parseRfc3339 } from './parse-time.js';
import { storedProperties } from './properties.js';
import type { V1Head } from './v1-headers.js';

/** Decodes one event of the v1 protocol. Returns the tag of a drop if it is invalid; the rest of its batch is unaffected. */
export function eventV1(
  item: JsonObject,
  uuid: string,
  head: Pick<V1Head, 'lib' | 'libVersion' | 'sentAt'>,
  now: number,
): CapturedEvent | CaptureV1DropTag {
  const { event, distinct_id: distinctId } = item;
  if (typeof event !== 'string' || event === '') return 'missing_event_name';
  if (event === '$performance_event') return 'dropped_performance_event';
  if (isOver200Bytes(event)) return 'event_name_too_long';
  if (distinctId === undefined || distinctId === null || distinctId === '') return 'missing_distinct_id';
  if (typeof distinctId !== 'string') return 'invalid_distinct_id';
  if (isOver200Bytes(distinctId)) return 'distinct_id_too_large';
  if (distinctId.trim() === '' || isIllegalDistinctId(distinctId)) return 'invalid_distinct_id';
  const timestamp = parseRfc3339(item.timestamp);
  if (timestamp === null) return 'invalid_event_timestamp';
  const properties = item.properties ?? {};
  const options = item.options ?? {};
  if (!isObject(properties) || !isObject(options)) return 'malformed_event_properties';

  const restored = restoreProperties(item, options, properties, head);
  const sentAt = restored.$ignore_sent_at === true ? null : head.sentAt;
  return {
    uuid,
    hasClientUuid: true,
    event,
    distinctId,
    timestamp: eventTime({ now, timestamp, sentAt, offset: null }),
    clientTime: timestamp,
    properties: storedProperties(restored, undefined, undefined),
  };
}

/** Restores the properties that the v1 protocol sends as fields and options, where queries expect them. */
function restoreProperties(
  item: JsonObject,
  options: JsonObject,
  properties: JsonObject,
  head: Pick<V1Head, 'lib' | 'libVersion'>,
): JsonObject {
  put(properties, '$session_id', item.session_id, 'string');
  put(properties, '$window_id', item.window_id, 'string');
  put(properties, '$cookieless_mode', options.cookieless_mode, 'boolean');
  // SDKs of different versions use either name
  put(properties, '$ignore_sent_at', options.disable_skew_correction ?? options.disable_skew_adjustment, 'boolean');
  put(properties, '$product_tour_id', options.product_tour_id, 'string');
  put(properties, '$process_person_profile', options.process_person_profile, 'boolean');
  properties.$lib ??= head.lib;
  properties.$lib_version ??= head.libVersion;
  return properties;
}

function put(properties: JsonObject, key: string, value: Json | undefined, type: 'string' | 'boolean'): void {
  if (value !== undefined && typeof value === type) properties[key] = value;
}
