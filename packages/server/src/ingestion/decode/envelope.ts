import { ownToken, requireToken, SdkError } from '../../http/sdk/index.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { sentAtOfBody } from './event-time.js';

/** A request's undecoded events and their shared fields. */
export interface Envelope {
  /** Well-formed project key. */
  token: string;
  /** Epoch milliseconds by the client's clock; null when the body does not say. */
  sentAt: number | null;
  items: JsonObject[];
}

/**
 * Recognizes the three shapes of a v0 payload: list, batch, single event.
 * @throws SdkError wrong_shape, empty_batch, no_token, several_tokens, malformed_token
 */
export function openEnvelope(value: Json): Envelope {
  if (Array.isArray(value)) {
    const items = objects(value);
    return { token: commonToken(items), sentAt: null, items };
  }
  if (!isObject(value)) throw new SdkError('wrong_shape');
  if (!Array.isArray(value.batch)) return { token: requireToken(ownToken(value)), sentAt: null, items: [value] };
  const items = objects(value.batch);
  // only the key of the envelope counts: keys inside events may be stale
  return { token: requireToken(text(value.api_key) ?? text(value.token)), sentAt: sentAtOfBody(value.sent_at), items };
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
