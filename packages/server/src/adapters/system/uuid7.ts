import { uuidOfHex } from '../../kernel/ids.js';

/**
 * Creates a generator of UUIDs of version 7 that always increase, also within a millisecond and when the clock steps back
 * (RFC 9562, 6.2, method 1: a counter of 12 bits follows the time).
 */
export function createUuid7(now: () => number, random: (bytes: number) => Buffer): () => string {
  let millisecond = 0;
  let counter = 0;
  return () => {
    const bytes = random(16);
    const time = now();
    if (time > millisecond) {
      millisecond = time;
      // starts in the lower half of its range, so that it can count up
      counter = bytes.readUInt16BE(6) & 0x7ff;
    } else if (counter < 0xfff) {
      counter += 1;
    } else {
      millisecond += 1;
      counter = bytes.readUInt16BE(6) & 0x7ff;
    }
    bytes.writeUIntBE(millisecond, 0, 6);
    bytes.writeUInt16BE(0x7000 | counter, 6);
    bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
    return uuidOfHex(bytes.toString('hex'));
  };
}
