import type { IncomingHttpHeaders } from 'node:http';
import type { CaptureV1DropTag, CaptureV1ErrorTag, CaptureV1Headers } from '@tidemark/wire';
import {
  checkToken,
  type Decoding,
  type Encoding,
  EVENT_LIMITS,
  inflate,
  isIllegalDistinctId,
  isOver200Bytes,
  MAX_EVENT,
  parseJson,
  type SdkErrorCode,
} from '../../http/sdk/index.js';
import { parseUuid } from '../../kernel/ids.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import type { CapturedEvent } from '../capture.js';
import { eventTime, parseRfc3339 } from './event-time.js';
import { storedProperties } from './v0.js';

/** Largest body as sent, and as decompressed; bytes. */
export const V1_WIRE_CAP = 10 * 1024 * 1024;
const V1_PAYLOAD_CAP = 50 * 1024 * 1024;
/** An event over 1 MB is dropped alone; one over this limit fails the whole request. */
const ITEM_LIMITS = { ...EVENT_LIMITS, bytes: 4 * MAX_EVENT };
/** Events decoded between two yields to the event loop. */
const EVENTS_PER_TURN = 500;

export interface V1Batch {
  events: CapturedEvent[];
  /** By uuid, in the order of the batch: the uuid as sent, and why the event is dropped (null: it is not). */
  fates: Map<string, { sent: string; drop: CaptureV1DropTag | null }>;
}

/**
 * Decodes the body of a v1 request.
 * @throws V1Refusal | SdkError
 */
export async function decodeV1(body: Buffer, head: V1Head, now: number, decoding: Decoding): Promise<V1Batch> {
  if (body.length === 0) throw new V1Refusal('empty_body', 'The body is empty.');
  const payload = head.encoding ? await inflate(body, head.encoding, V1_PAYLOAD_CAP, decoding) : body;
  const { value, oversized } = await parseJson(payload, ITEM_LIMITS, decoding);
  const items = itemsOf(value);
  const batch: V1Batch = { events: [], fates: new Map() };
  for (const [i, item] of items.entries()) {
    const sent = typeof item.uuid === 'string' ? item.uuid : '';
    const uuid = uniqueUuid(sent, batch);
    const outcome = oversized.has(i) ? 'message_size_too_large' : eventV1(item, uuid, head, now);
    if (typeof outcome !== 'string') batch.events.push(outcome);
    batch.fates.set(uuid, { sent, drop: typeof outcome === 'string' ? outcome : null });
    if ((i + 1) % EVENTS_PER_TURN === 0) await decoding.scheduler.yield();
  }
  return batch;
}

function itemsOf(value: Json): JsonObject[] {
  if (!isObject(value) || !Array.isArray(value.batch)) {
    throw new V1Refusal('request_parsing_error', 'The body must be an object with a "batch" of events.');
  }
  if (value.batch.length === 0) throw new V1Refusal('empty_batch', 'The batch holds no events.');
  if (parseRfc3339(value.created_at) === null) {
    throw new V1Refusal('invalid_batch', 'The "created_at" of the batch must be an RFC 3339 time.');
  }
  if (!value.batch.every(isObject)) throw new V1Refusal('request_parsing_error', 'An event is not a JSON object.');
  return value.batch;
}

/** Results are keyed by uuid, so each event needs its own. */
function uniqueUuid(sent: string, batch: V1Batch): string {
  const uuid = parseUuid(sent);
  if (uuid === null) throw new V1Refusal('missing_event_uuid', 'Every event needs a "uuid" that is a UUID.');
  if (batch.fates.has(uuid)) throw new V1Refusal('duplicate_event_uuid', `The uuid ${uuid} is in the batch twice.`);
  return uuid;
}

/** Decodes one event of the v1 protocol. Returns the tag of a drop if it is invalid; the rest of its batch is unaffected. */
function eventV1(
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

/** The decoded headers of a v1 request. */
interface V1Head {
  token: string;
  lib: string;
  libVersion: string;
  /** Epoch milliseconds by the client's clock, at sending. */
  sentAt: number;
  encoding: Encoding | null;
}

const REQUIRED = [
  'authorization',
  'content-type',
  'posthog-sdk-info',
  'posthog-attempt',
  'posthog-request-id',
  'posthog-request-timestamp',
] as const satisfies (keyof CaptureV1Headers)[];

const BEARER = /^bearer(?:\s+(.*))?$/i;
const SDK_INFO = /^([^/\s]+)\/(\S+)$/;
const ENCODINGS = ['gzip', 'deflate', 'br', 'zstd'] as const satisfies Encoding[];
/** Supported encodings of bodies, for the `Accept-Encoding` of error responses. */
export const ACCEPTED_ENCODINGS = ENCODINGS.join(', ');

/**
 * Checks the headers of a v1 request.
 * @throws V1Refusal missing_required_headers, invalid_header_value, unsupported_content_type, unsupported_encoding
 * @throws SdkError malformed_token
 */
export function readV1Head(headers: IncomingHttpHeaders): V1Head {
  const missing: string[] = [...REQUIRED, 'user-agent'].filter((name) => !headers[name]);
  if (missing.length > 0) throw new V1Refusal('missing_required_headers', `Missing required headers: ${missing.join(', ')}.`);
  const bearer = BEARER.exec(one(headers, 'authorization'));
  if (!bearer) throw invalid('Authorization', '"Bearer <project API key>"');
  const token = checkToken(bearer[1] ?? '');

  const sdk = SDK_INFO.exec(one(headers, 'posthog-sdk-info'));
  if (!sdk) throw invalid('PostHog-Sdk-Info', '<lib>/<version>');
  if (!/^[1-9]\d{0,8}$/.test(one(headers, 'posthog-attempt'))) throw invalid('PostHog-Attempt', 'a whole number from 1');
  if (parseUuid(one(headers, 'posthog-request-id')) === null) throw invalid('PostHog-Request-Id', 'a UUID');
  const sentAt = parseRfc3339(one(headers, 'posthog-request-timestamp'));
  if (sentAt === null) throw invalid('PostHog-Request-Timestamp', 'an RFC 3339 time');

  const type = one(headers, 'content-type').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new V1Refusal('unsupported_content_type', 'The content type must be application/json.');
  return { token, lib: sdk[1] ?? '', libVersion: sdk[2] ?? '', sentAt, encoding: encodingOf(headers['content-encoding']) };
}

function encodingOf(header: string | undefined): Encoding | null {
  const name = header?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return null;
  const encoding = ENCODINGS.find((known) => known === name);
  if (!encoding) {
    throw new V1Refusal('unsupported_encoding', `Bodies may be encoded with ${ACCEPTED_ENCODINGS}, or not at all.`);
  }
  return encoding;
}

const one = (headers: IncomingHttpHeaders, name: string): string => String(headers[name] ?? '').trim();

const invalid = (header: string, rule: string): V1Refusal =>
  new V1Refusal('invalid_header_value', `The header ${header} must be ${rule}.`);

/** HTTP statuses by error tag of the v1 protocol. */
export const V1_STATUS = {
  missing_required_headers: 400,
  invalid_header_value: 400,
  request_decoding_error: 400,
  request_parsing_error: 400,
  empty_body: 400,
  empty_batch: 400,
  invalid_batch: 400,
  missing_event_uuid: 400,
  duplicate_event_uuid: 400,
  invalid_api_token: 401,
  billing_limit_exceeded: 402,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  body_read_timeout: 408,
  payload_too_large: 413,
  unsupported_content_type: 415,
  unsupported_encoding: 415,
  rate_limited: 429,
  internal_error: 500,
  service_unavailable: 503,
  gateway_timeout: 504,
} as const satisfies Record<CaptureV1ErrorTag, number>;

/** Error of a whole v1 request. */
export class V1Refusal extends Error {
  override name = 'V1Refusal';
  constructor(
    readonly tag: CaptureV1ErrorTag,
    sentence: string,
  ) {
    super(sentence);
  }
}

const TAGS: Partial<Record<SdkErrorCode, CaptureV1ErrorTag>> = {
  missing_payload: 'empty_body',
  bad_compression: 'request_decoding_error',
  bad_utf8: 'request_decoding_error',
  no_token: 'invalid_api_token',
  malformed_token: 'invalid_api_token',
  unknown_token: 'invalid_api_token',
  empty_batch: 'empty_batch',
  body_timeout: 'body_read_timeout',
  payload_too_large: 'payload_too_large',
  event_too_large: 'payload_too_large',
  overloaded: 'service_unavailable',
};

/** The v1 tag of an error that both protocols share. */
export const v1Tag = (code: SdkErrorCode): CaptureV1ErrorTag => TAGS[code] ?? 'request_parsing_error';
