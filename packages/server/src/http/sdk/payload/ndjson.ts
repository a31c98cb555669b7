import { COMMA, SPACE } from '../../../kernel/json-bytes.js';
import type { Decoding } from '../decoding.js';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TAB = 0x09;
/** Bytes looked at between two looks at other requests. */
const STRETCH = 4 * 1024 * 1024;

/** The JSON list of what stands on each line of NDJSON: a line feed cannot be part of a value, so each becomes a comma. */
export async function listOfLines(bytes: Buffer, { reserve, scheduler }: Decoding): Promise<Buffer> {
  reserve(bytes.length);
  const list = Buffer.allocUnsafe(bytes.length + 2);
  list[0] = 0x5b;
  // where the last line with content ended; -1: none has yet
  let ended = -1;
  let isBlank = true;
  for (let i = 0; i < bytes.length; i++) {
    if (i % STRETCH === STRETCH - 1) await scheduler.yield();
    const byte = bytes[i] ?? 0;
    list[i + 1] = byte === LINE_FEED ? SPACE : byte;
    if (byte === LINE_FEED) {
      if (!isBlank) ended = i + 1;
      isBlank = true;
    } else if (isBlank && byte !== SPACE && byte !== TAB && byte !== CARRIAGE_RETURN) {
      isBlank = false;
      if (ended !== -1) list[ended] = COMMA;
    }
  }
  list[bytes.length + 1] = 0x5d;
  return list;
}
