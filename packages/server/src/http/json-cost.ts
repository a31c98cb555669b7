const [QUOTE, BACKSLASH, COMMA, COLON, LIST, OBJECT] = [0x22, 0x5c, 0x2c, 0x3a, 0x5b, 0x7b];

/** What a list or an object takes to be read beside a plain value, and a member of an object beside its value. */
const STRUCTURE = 4;

/** Whether reading JSON would take more than reading a list of `most` numbers; a text counts as one more. Looks at what stands outside of texts only. */
export function costsMoreThan(most: number, bytes: Buffer): boolean {
  let left = most;
  // no byte is worth more than a structure
  if (bytes.length * STRUCTURE <= left) return false;
  let isText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      isText = !isText;
      left -= isText ? 1 : 0;
    } else if (isText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA) left -= 1;
    else if (byte === COLON || byte === LIST || byte === OBJECT) left -= STRUCTURE;
    if (left < 0) return true;
  }
  return false;
}
