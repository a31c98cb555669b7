import type { JsonObject } from '../kernel/json.js';
import type { EncodedProperties, PropertiesCodec } from '../ports/events.js';
import type { Draft, Drop } from './stages/index.js';
import { warn } from './stages/index.js';
import { cleanJson, cleanText, fitObject } from './storable.js';

/** Characters of the JSON text of one event's properties. */
export const MAX_EVENT_LENGTH = 1024 * 1024;

/**
 * Encodes the draft's properties for the event store, and cleans the draft where its texts could not be stored. Returns a Drop when the
 * event is too large.
 */
export function serialize(draft: Draft, codec: PropertiesCodec): EncodedProperties | Drop {
  draft.event = cleanText(draft.event);
  draft.distinctId = cleanText(draft.distinctId);
  if (draft.elementsChain !== '') draft.elementsChain = cleanText(draft.elementsChain);
  const fitted = fitObject(draft.properties);
  if (fitted !== draft.properties) {
    draft.properties = fitted;
    mapPersonProperties(draft, fitObject);
  }
  let result = codec.encode(draft.properties, MAX_ENCODED_BYTES);
  if (result && !result.isClean) {
    draft.properties = cleanJson(draft.properties);
    mapPersonProperties(draft, (properties) => cleanJson(properties));
    draft.unset = draft.unset.map(cleanText);
    result = codec.encode(draft.properties, MAX_ENCODED_BYTES);
  }
  const length = textLength(draft, result?.encoded.length ?? MAX_ENCODED_BYTES);
  if (!result || length > MAX_EVENT_LENGTH) {
    warn(draft, 'message_size_too_large', { length, limit: MAX_EVENT_LENGTH });
    return { reason: 'message_size_too_large', details: 'message_size_too_large', result: 'drop' };
  }
  return result.encoded;
}

function mapPersonProperties(draft: Draft, map: (properties: JsonObject) => JsonObject): void {
  draft.passing = { ...draft.passing, values: map(draft.passing.values) };
  draft.set = map(draft.set);
  draft.setOnce = map(draft.setOnce);
}

/**
 * Longest encoded form of an event that is not too long: a list of digits takes 4.5 bytes for a character of its text. The encoded form
 * repeats the name of an object before each of its members, so an object with a long name and many members is refused, too: the engine
 * would need as much memory.
 */
const MAX_ENCODED_BYTES = 8 * MAX_EVENT_LENGTH;

/** Most characters of JSON text for one encoded byte. */
const TEXT_PER_BYTE = 8;

/** Characters of the event as text: an upper bound if that is short enough, else the exact number. */
function textLength({ properties, elementsChain }: Draft, encodedBytes: number): number {
  const most = encodedBytes * TEXT_PER_BYTE + elementsChain.length;
  return most > MAX_EVENT_LENGTH ? JSON.stringify(properties).length + elementsChain.length : most;
}
