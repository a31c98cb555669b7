import type { JsonObject } from '../kernel/json.js';
import { BytesWriter, TooLong, writeJson } from '../ports/event-rows/index.js';
import type { Draft, Drop } from './stages/index.js';
import { warn } from './stages/index.js';
import { cleanJson, cleanText, fitObject } from './storable.js';

/** Characters of the JSON text of one event's properties. */
export const MAX_EVENT_LENGTH = 1024 * 1024;

/**
 * The draft's properties as the event store reads them; the draft is cleaned where its texts could not be stored. A Drop when it is
 * too large.
 */
export function serialize(draft: Draft): Buffer | Drop {
  draft.event = cleanText(draft.event);
  draft.distinctId = cleanText(draft.distinctId);
  if (draft.elementsChain !== '') draft.elementsChain = cleanText(draft.elementsChain);
  const fitted = fitObject(draft.properties);
  if (fitted !== draft.properties) {
    draft.properties = fitted;
    mapPersonProperties(draft, fitObject);
  }
  let bytes = bytesOf(draft.properties);
  if (bytes && writer.isUnclean) {
    draft.properties = cleanJson(draft.properties);
    mapPersonProperties(draft, (properties) => cleanJson(properties));
    draft.unset = draft.unset.map(cleanText);
    bytes = bytesOf(draft.properties);
  }
  const length = textLength(draft, bytes);
  if (!bytes || length > MAX_EVENT_LENGTH) {
    warn(draft, 'message_size_too_large', { length, limit: MAX_EVENT_LENGTH });
    return { reason: 'message_size_too_large', details: 'message_size_too_large', result: 'drop' };
  }
  return bytes;
}

function mapPersonProperties(draft: Draft, map: (properties: JsonObject) => JsonObject): void {
  draft.passing = { ...draft.passing, values: map(draft.passing.values) };
  draft.set = map(draft.set);
  draft.setOnce = map(draft.setOnce);
}

/**
 * Bytes of the properties of an event that is not too long, at most: a list of digits has 4.5 for a character of its text. The name of
 * an object stands before each name in it, so a long one with many members is refused, too: the engine would need as much.
 */
const MAX_EVENT_BYTES = 8 * MAX_EVENT_LENGTH;
const writer = new BytesWriter(undefined, MAX_EVENT_BYTES);

/** Null when it is too long for any event. */
function bytesOf(properties: JsonObject): Buffer | null {
  writer.isUnclean = false;
  try {
    writeJson(writer, properties);
    return writer.take();
  } catch (error) {
    if (!(error instanceof TooLong)) throw error;
    writer.drop();
    return null;
  }
}

/** Characters that JSON text has for a byte of the binary form, at most. */
const TEXT_PER_BYTE = 8;

/** Characters of the event as text; only told exactly of what may be too long. */
function textLength({ properties, elementsChain }: Draft, bytes: Buffer | null): number {
  const most = (bytes?.length ?? MAX_EVENT_BYTES) * TEXT_PER_BYTE + elementsChain.length;
  return most > MAX_EVENT_LENGTH ? JSON.stringify(properties).length + elementsChain.length : most;
}
