import {
  type Decoding,
  distinctIdText,
  EVENT_LIMITS,
  ownToken,
  parseJson,
  type RawRequest,
  readPayload,
  requireToken,
  SdkError,
} from '../../http/sdk/index.js';
import { parseUuid } from '../../kernel/ids.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import type { CapturedEvent, IngestionWarning } from '../capture.js';
import type { PlainProperties } from '../plain-properties.js';
import { eventTime, parseTime, sentAtOfBody, sentAtOfQuery } from './event-time.js';
import type { ReadHistory } from './history.js';

/** Largest decompressed payload of the analytics paths, bytes. */
export const V0_PAYLOAD_CAP = 100 * 1024 * 1024;

/** Events decoded between two yields to the event loop. */
const EVENTS_PER_TURN = 500;

/**
 * Parses a v0 request to its envelope. The events stay undecoded, so that the project key is checked first.
 * @param querySentAt query parameter `sent_at` or `_`
 * @throws SdkError
 */
export async function readEnvelope(
  request: RawRequest,
  querySentAt: string | undefined,
  decoding: Decoding,
  readHistory: ReadHistory,
): Promise<Envelope> {
  const payload = await readPayload(request, decoding);
  const history = querySentAt === undefined ? await readHistory(payload, decoding) : null;
  if (history) return history;
  const envelope = openEnvelope(await parseEvents(payload, decoding));
  envelope.sentAt ??= sentAtOfQuery(querySentAt);
  return envelope;
}

/**
 * The JSON of a payload that holds events.
 * @throws SdkError bad_utf8, bad_json, too_deep, event_too_large, payload_too_large
 */
export const parseEvents = async (payload: Buffer, decoding: Decoding): Promise<Json> =>
  (await parseJson(payload, EVENT_LIMITS, decoding)).value;

/**
 * Decodes the events of an envelope: all of them, or the whole request is refused.
 * @throws SdkError
 */
export async function eventsV0(
  envelope: Pick<Envelope, 'items' | 'sentAt' | 'plain'>,
  { scheduler }: Pick<Decoding, 'scheduler'>,
  context: Omit<V0Context, 'sentAt'>,
): Promise<CapturedEvent[]> {
  const shared = { ...context, sentAt: envelope.sentAt };
  const events: CapturedEvent[] = [];
  for (const [index, item] of envelope.items.entries()) {
    const event = eventV0(item, shared);
    const plain = envelope.plain?.[index];
    if (plain) event.plain = plain;
    events.push(event);
    if (events.length % EVENTS_PER_TURN === 0) await scheduler.yield();
  }
  return events;
}

/** A request's undecoded events and their shared fields. */
export interface Envelope {
  /** Well-formed project key. */
  token: string;
  /** Epoch milliseconds by the client's clock; null when the body does not say. */
  sentAt: number | null;
  /** Whether the events are history from another system: the request's address is not that of the people in them. */
  isHistorical: boolean;
  items: JsonObject[];
  /** For each item its properties, if they are encoded already; the item has none then. Absent: no item has such. */
  plain?: readonly (PlainProperties | null)[];
}

/**
 * Recognizes the three shapes of a v0 payload: list, batch, single event.
 * @throws SdkError wrong_shape, empty_batch, no_token, several_tokens, malformed_token
 */
function openEnvelope(value: Json): Envelope {
  if (Array.isArray(value)) {
    const items = objects(value);
    return { token: commonToken(items), sentAt: null, isHistorical: false, items };
  }
  if (!isObject(value)) throw new SdkError('wrong_shape');
  if (!Array.isArray(value.batch)) {
    return { token: requireToken(ownToken(value)), sentAt: null, isHistorical: false, items: [value] };
  }
  const items = objects(value.batch);
  // only the key of the envelope counts: keys inside events may be stale
  const token = requireToken(text(value.api_key) ?? text(value.token));
  return { token, sentAt: sentAtOfBody(value.sent_at), isHistorical: value.historical_migration === true, items };
}

/** The items of a non-empty list of objects. @throws SdkError empty_batch, wrong_shape */
export function objects(list: Json[]): JsonObject[] {
  if (list.length === 0) throw new SdkError('empty_batch');
  if (!list.every(isObject)) throw new SdkError('wrong_shape', 'An event is not a JSON object.');
  return list;
}

function commonToken(items: JsonObject[]): string {
  let common: string | undefined;
  for (const item of items) {
    const token = ownToken(item);
    if (token === undefined || token === common) continue;
    if (common !== undefined) throw new SdkError('several_tokens');
    common = token;
  }
  return requireToken(common);
}

/** A non-empty string, else undefined. */
const text = (value: Json | undefined): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Shared context of the events of one request. */
interface V0Context {
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
function eventV0(item: JsonObject, context: V0Context): CapturedEvent {
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

/**
 * The properties to store: without `token` and `distinct_id`, which are stored elsewhere, and with the top-level `$set` and `$set_once` merged
 * over the nested ones. May change and return `properties` itself.
 */
export function storedProperties(properties: JsonObject, set: Json | undefined, setOnce: Json | undefined): JsonObject {
  const stored =
    Object.hasOwn(properties, 'token') || Object.hasOwn(properties, 'distinct_id') ? without(properties) : properties;
  if (isObject(set)) stored.$set = isObject(stored.$set) ? { ...stored.$set, ...set } : set;
  if (isObject(setOnce)) stored.$set_once = isObject(stored.$set_once) ? { ...stored.$set_once, ...setOnce } : setOnce;
  return stored;
}

/** A copy: `delete` would turn the object into a slow dictionary. */
function without(properties: JsonObject): JsonObject {
  const { token: _token, distinct_id: _distinctId, ...rest } = properties;
  return rest;
}
