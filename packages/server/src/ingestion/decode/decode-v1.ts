import type { CaptureV1DropTag } from '@tidemark/wire';
import { type Decoding, EVENT_LIMITS, inflate, MAX_EVENT, parseJson } from '../../http/sdk/index.js';
import { parseUuid } from '../../kernel/ids.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import type { CapturedEvent } from '../capture.js';
import { eventV1 } from './event-v1.js';
import { parseRfc3339 } from './parse-time.js';
import type { V1Head } from './v1-headers.js';
import { V1Refusal } from './v1-refusal.js';

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
