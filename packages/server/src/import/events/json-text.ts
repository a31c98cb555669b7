import { isUtf8 } from 'node:buffer';
import { BACKSLASH, CLOSE_OBJECT, OPEN_OBJECT, QUOTE } from '../../kernel/json-bytes.js';

/**
 * Whether bytes can be one JSON object in UTF-8 and nothing else: braces outside of texts close at the end and not before. What is inside need not be
 * valid, but it cannot become a part of anything around it.
 */
export function isOneObject(bytes: Uint8Array): boolean {
  const { length } = bytes;
  if (bytes[0] !== OPEN_OBJECT || bytes[length - 1] !== CLOSE_OBJECT) return false;
  let depth = 0;
  for (let i = 0; i < length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) {
      // each byte is read once: most of them are in texts
      while (++i < length) {
        const inText = bytes[i];
        if (inText === QUOTE) break;
        if (inText === BACKSLASH) i++;
      }
    } else if (byte === OPEN_OBJECT) depth++;
    else if (byte === CLOSE_OBJECT && --depth === 0) return i === length - 1 && isUtf8(bytes);
  }
  return false;
}
