import { distinctIdText, SdkError } from '../../http/sdk/index.js';
import { parseUuid } from '../../kernel/ids.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import type { CapturedEvent, IngestionWarning } from '../capture.js';
import { eventTime, sentAtOfBody } from './event-time.js';
import { parseTime } from './parse-time.js';
import { storedProperties } from './properties.js';

/** Shared context of the events of one request. */
export interface V0Context {
  /** Epoch milliseconds, UTC: when the request arrived. */
  now: number;
  /** Epoch milliseconds by the client's clock; null when the request does not say. */
  sentAt: number | null;
  /** Name of events without one; null: such events are refused. */
  defaultName: string | null;
  makeUuid: () => string;
  /** Receives ingestion warnings. */
  warn: (type: IngestionWarning['type'], details: JsonObject) => void;
}

/**
 * One event of the v0 protocol.
 * @throws SdkError missing_event_name, missing_distinct_id, empty_distinct_id, invalid_uuid, wrong_shape
 */
export function eventV0(item: JsonObject, context: V0Context): CapturedEvent {
  const properties = propertiesOf(item);
  const event = nameOf(item.event, context.defaultName);
  const distinctId = distinctIdOf(item, properties);
  const own = uuidOf(item.uuid);
  const uuid = own ?? context.makeUuid();
  const clientTime = parseTime(item.timestamp);
  if (clientTime === null && item.timestamp !== undefined && item.timestamp !== null) {
    const value = String(item.timestamp).slice(0, 100);
    context.warn('ignored_invalid_timestamp', { eventUuid: uuid, event, distinctId, field: 'timestamp', value });
  }
  const ignoreSentAt = properties.$ignore_sent_at === true;
  const timestamp = eventTime({
    now: context.now,
    timestamp: clientTime,
    sentAt: ignoreSentAt ? null : (context.sentAt ?? sentAtOfBody(item.sent_at)),
    offset: typeof item.offset === 'number' ? item.offset : null,
  });
  return {
    uuid,
    hasClientUuid: own !== null,
    event,
    distinctId,
    timestamp,
    ...(clientTime === null ? {} : { clientTime }),
    properties: storedProperties(properties, item.$set, item.$set_once),
  };
}

function propertiesOf(item: JsonObject): JsonObject {
  const { properties } = item;
  if (properties === undefined || properties === null) return {};
  if (!isObject(properties)) throw new SdkError('wrong_shape', 'The "properties" of an event are not an object.');
  return properties;
}

function nameOf(name: Json | undefined, defaultName: string | null): string {
  if ((name === undefined || name === null) && defaultName !== null) return defaultName;
  if (typeof name !== 'string' || name === '') throw new SdkError('missing_event_name');
  return name;
}

function distinctIdOf(item: JsonObject, properties: JsonObject): string {
  const id = item.distinct_id ?? item.$distinct_id ?? properties.distinct_id;
  if (id === undefined || id === null) throw new SdkError('missing_distinct_id');
  if (id === '') throw new SdkError('empty_distinct_id');
  return distinctIdText(id);
}

function uuidOf(uuid: Json | undefined): string | null {
  if (uuid === undefined || uuid === null || uuid === '') return null;
  const own = typeof uuid === 'string' ? parseUuid(uuid) : null;
  if (own === null) throw new SdkError('invalid_uuid');
  return own;
}
