import type { Draft, Drop } from './stages/index.js';
import { warn } from './stages/index.js';
import { cleanJson, cleanText, fitObject, hasLongIntegers, isUnclean, shortIntegers } from './storable.js';

/** Characters of the JSON text of one event's properties. */
export const MAX_EVENT_LENGTH = 1024 * 1024;

/**
 * The JSON text of the draft's properties, such that the stores take it; the draft is cleaned where its texts could not be
 * stored. A Drop when it is too large.
 */
export function serialize(draft: Draft): string | Drop {
  draft.event = cleanText(draft.event);
  draft.distinctId = cleanText(draft.distinctId);
  if (draft.elementsChain !== '') draft.elementsChain = cleanText(draft.elementsChain);
  const fitted = fitObject(draft.properties);
  if (fitted !== draft.properties) {
    draft.properties = fitted;
    draft.set = fitObject(draft.set);
    draft.setOnce = fitObject(draft.setOnce);
  }
  let text = JSON.stringify(draft.properties);
  if (isUnclean(text)) {
    draft.properties = cleanJson(draft.properties);
    draft.set = cleanJson(draft.set);
    draft.setOnce = cleanJson(draft.setOnce);
    draft.unset = draft.unset.map(cleanText);
    text = JSON.stringify(draft.properties);
  }
  const length = text.length + draft.elementsChain.length;
  if (length > MAX_EVENT_LENGTH) {
    warn(draft, 'message_size_too_large', { length, limit: MAX_EVENT_LENGTH });
    return { reason: 'message_size_too_large', details: 'message_size_too_large', result: 'drop' };
  }
  return hasLongIntegers(draft.properties) ? shortIntegers(text) : text;
}
