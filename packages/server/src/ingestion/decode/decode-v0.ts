import { type Decoding, EVENT_LIMITS, parseJson, type RawRequest, readPayload } from '../../http/sdk/index.js';
import type { Json } from '../../kernel/json.js';
import type { CapturedEvent } from '../capture.js';
import { type Envelope, openEnvelope } from './envelope.js';
import { sentAtOfQuery } from './event-time.js';
import { eventV0, type V0Context } from './event-v0.js';

/** Largest decompressed payload of the analytics paths, bytes. */
export const V0_PAYLOAD_CAP = 100 * 1024 * 1024;

/** Events decoded between two yields to the event loop. */
const EVENTS_PER_TURN = 500;

/**
 * Parses a v0 request to its envelope. The events stay undecoded, so that the project key is checked first.
 * @param querySentAt query parameter `sent_at` or `_`
 * @throws SdkError
 */
export async function readEnvelope(request: RawRequest, querySentAt: string | undefined, decoding: Decoding): Promise<Envelope> {
  const value = await parseEvents(await readPayload(request, decoding), decoding);
  const envelope = openEnvelope(value);
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
  envelope: Envelope,
  { scheduler }: Decoding,
  context: Omit<V0Context, 'sentAt'>,
): Promise<CapturedEvent[]> {
  const shared = { ...context, sentAt: envelope.sentAt };
  const events: CapturedEvent[] = [];
  for (const item of envelope.items) {
    events.push(eventV0(item, shared));
    if (events.length % EVENTS_PER_TURN === 0) await scheduler.yield();
  }
  return events;
}
