import type { JsonObject } from '../kernel/json.js';
import { BytesWriter, writeJson } from '../ports/event-rows/index.js';
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
    draft.set = fitObject(draft.set);
    draft.setOnce = fitObject(draft.setOnce);
  }
  let bytes = bytesOf(draft.properties);
  if (writer.isUnclean) {
    draft.properties = cleanJson(draft.properties);
    draft.set = cleanJson(draft.set);
    draft.setOnce = cleanJson(draft.setOnce);
    draft.unset = draft.unset.map(cleanText);
    bytes = bytesOf(draft.properties);
  }
  const length = textLength(draft, bytes);
  if (length > MAX_EVENT_LENGTH) {
    warn(draft, 'message_size_too_large', { length, limit: MAX_EVENT_LENGTH });
    return { reason: 'message_size_too_large', details: 'message_size_too_large', result: 'drop' };
  }
  return bytes;
}

const writer = new BytesWriter();

function bytesOf(properties: JsonObject): Buffer {
  writer.isUnclean = false;
  writeJson(writer, properties);
  return writer.take();
}

/** Characters that JSON text has for a byte of the binary form, at most. */
const TEXT_PER_BYTE = 8;

/** Characters of the event as text; only told exactly of what may be too long. */
function textLength({ properties, elementsChain }: Draft, { length }: Buffer): number {
  const most = length * TEXT_PER_BYTE + elementsChain.length;
  return most > MAX_EVENT_LENGTH ? JSON.stringify(properties).length + elementsChain.length : most;
}
