import { SdkError } from '../sdk-error.js';

/** Bytes of lz-string base64 taken: old browsers sent far less, and this work blocks. */
const MAX_INPUT = 512 * 1024;
/** UTF-16 units that come out at most; phrases grow, so 20 KB can hold 100 MB. */
const MAX_OUTPUT = 4 * 1024 * 1024;

const END = 2;
/** The six bits of each character in the order they are read: the first one lowest. */
const MIRRORED = new Int8Array(256).fill(-1);
[...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].forEach((char, value) => {
  const bits = value.toString(2).padStart(6, '0');
  MIRRORED[char.charCodeAt(0)] = Number.parseInt([...bits].reverse().join(''), 2);
});
MIRRORED['='.charCodeAt(0)] = 0;

/**
 * Undoes lz-string's `compressToBase64`, with bounds, which the library's own decompressor lacks.
 * Every phrase of the dictionary is a stretch of the output, so it is kept as (start, length).
 * @throws SdkError bad_compression, payload_too_large
 */
export function decompressLz64(input: Buffer): string {
  if (input.length > MAX_INPUT) throw new SdkError('payload_too_large');
  const bits = new Bits(input);
  const starts: number[] = [0, 0, 0];
  const lengths: number[] = [0, 0, 0];
  let out = new Uint16Array(Math.max(1024, input.length * 2));
  let length = 0;

  const reserve = (more: number) => {
    if (length + more > MAX_OUTPUT) throw new SdkError('payload_too_large');
    if (length + more <= out.length) return;
    const larger = new Uint16Array(Math.min(MAX_OUTPUT, Math.max(out.length * 2, length + more)));
    larger.set(out.subarray(0, length));
    out = larger;
  };
  const emitNew = (width: number) => {
    reserve(1);
    starts.push(length);
    lengths.push(1);
    out[length++] = bits.take(width);
  };

  let numBits = 3;
  // the first code is read at two bits and the dictionary has one phrase before the loop, hence four
  let enlargeIn = 4;
  const first = bits.take(2);
  if (first === END) return '';
  if (first > END) throw new SdkError('bad_compression');
  emitNew(first === 0 ? 8 : 16);
  let before = 0;
  let beforeLength = 1;

  for (;;) {
    const code = bits.take(numBits);
    if (code === END) return Buffer.from(out.buffer, 0, length * 2).toString('utf16le');
    const start = length;
    if (code < END) {
      emitNew(code === 0 ? 8 : 16);
      if (--enlargeIn === 0) enlargeIn = 2 ** numBits++;
    } else if (code < starts.length) {
      const from = starts[code] ?? 0;
      const size = lengths[code] ?? 0;
      reserve(size);
      out.copyWithin(length, from, from + size);
      length += size;
    } else if (code === starts.length) {
      // the phrase that is only now being made: the one before, and its own first unit
      reserve(beforeLength + 1);
      out.copyWithin(length, before, before + beforeLength);
      length += beforeLength;
      out[length++] = out[before] ?? 0;
    } else {
      throw new SdkError('bad_compression');
    }
    starts.push(before);
    lengths.push(beforeLength + 1);
    if (--enlargeIn === 0) enlargeIn = 2 ** numBits++;
    before = start;
    beforeLength = length - start;
  }
}

/** Bits of base64 text: highest first within a character, and numbers lowest bit first. */
class Bits {
  private at = 0;
  private waiting = 0;
  private count = 0;
  constructor(private readonly input: Buffer) {}

  /** @param width at most 26 */
  take(width: number): number {
    while (this.count < width) {
      const value = this.at < this.input.length ? (MIRRORED[this.input[this.at] ?? 0] ?? -1) : -1;
      if (value < 0) throw new SdkError('bad_compression');
      this.waiting |= value << this.count;
      this.count += 6;
      this.at++;
    }
    const number = this.waiting & ((1 << width) - 1);
    this.waiting >>>= width;
    this.count -= width;
    return number;
  }
}
