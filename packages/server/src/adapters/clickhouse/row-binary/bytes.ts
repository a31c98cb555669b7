import { uuidOfHex } from '../../../kernel/ids.js';
import { BACKSLASH, DOT, QUOTE, SPACE } from '../../../kernel/json-bytes.js';

/** Size of an allocation, which hundreds of events share; bytes. */
const CHUNK = 256 * 1024;
/** Longest text whose characters are copied one by one: for longer ones `Buffer.write` is faster. */
const SHORT = 127;
/** Most bytes that are copied one by one: for more of them `Buffer.copy` is faster. */
const SHORT_COPY = 64;
/** NUL and halves of surrogate pairs: PostgreSQL and UTF-8 cannot represent them. */
const UNCLEAN = /[\0\p{Cs}]/u;

const floats = new Float64Array(1);
const floatBytes = new Uint8Array(floats.buffer);

const HOLE_BYTES = 3;

interface Hole {
  /** Where the hole ends; bytes since the last `take`. */
  end: number;
}

/** The written bytes exceed the limit of the writer. */
export class TooLong extends Error {
  override name = 'TooLong';
}

/** Writes values in ClickHouse's RowBinary form, little-endian. Buffers that were taken do not change any more. */
export class BytesWriter {
  /** Whether a written text contains a NUL or half of a surrogate pair. The caller resets it. */
  isUnclean = false;
  #bytes: Buffer;
  /** Start of the bytes that are not taken yet, and where the next byte goes. */
  #start = 0;
  #at = 0;

  /** Bytes between two `take`s, about: exceeding them throws TooLong when the buffer grows. */
  limit = Number.POSITIVE_INFINITY;

  /** @param size bytes to begin with; the buffer grows */
  constructor(size = CHUNK) {
    this.#bytes = Buffer.allocUnsafeSlow(size);
  }

  /** The bytes written since the last `take`. */
  take(): Buffer {
    const taken = this.#bytes.subarray(this.#start, this.#at);
    this.#start = this.#at;
    return taken;
  }

  /** Forgets what was written since the last `take`. */
  drop(): void {
    this.#at = this.#start;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#at++] = value;
  }

  /** @param value 0 to 2^32 - 1 */
  uint32(value: number): void {
    this.#reserve(4);
    this.#word(value);
  }

  /** @param value a whole number of up to 18 digits; beyond 2^53 these are the ones that JavaScript shows, as in JSON text */
  int64(value: number): void {
    this.#reserve(8);
    if (!Number.isSafeInteger(value)) {
      this.#at = this.#bytes.writeBigInt64LE(BigInt(String(value)), this.#at);
      return;
    }
    const high = Math.floor(value / 0x1_0000_0000);
    this.#word(value - high * 0x1_0000_0000);
    this.#word(high);
  }

  float64(value: number): void {
    this.#reserve(8);
    floats[0] = value;
    for (let i = 0; i < 8; i++) this.#bytes[this.#at++] = floatBytes[i] ?? 0;
  }

  /** A count, 7 bits a byte (LEB128). @param value 0 to 2^31 - 1 */
  varint(value: number): void {
    this.#reserve(5);
    let rest = value;
    for (; rest > 127; rest >>>= 7) this.#bytes[this.#at++] = (rest & 127) | 128;
    this.#bytes[this.#at++] = rest;
  }

  /** Reserves bytes for a count that is known later, see {@link fill}. */
  hole(bytes = HOLE_BYTES): Hole {
    this.#reserve(bytes);
    this.#at += bytes;
    return { end: this.#at - this.#start };
  }

  /** @param value 0 to 2^21 - 1, as `varint` writes it */
  fill(hole: Hole, value: number): void {
    const end = this.#start + hole.end;
    this.#bytes[end - 3] = (value & 127) | 128;
    this.#bytes[end - 2] = ((value >>> 7) & 127) | 128;
    this.#bytes[end - 1] = value >>> 14;
  }

  /** Forgets what was written behind the hole. */
  backTo(hole: Hole): void {
    this.#at = this.#start + hole.end;
  }

  /** @param uuid with dashes, of lower case */
  uuid(uuid: string): void {
    this.#reserve(16);
    const bytes = this.#bytes;
    // two words of 64 bits, each with its little end first
    for (let i = 0; i < 16; i++) {
      const place = UUID_PLACES[i] ?? 0;
      bytes[this.#at + i] = (digit(uuid.charCodeAt(place)) << 4) | digit(uuid.charCodeAt(place + 1));
    }
    this.#at += 16;
  }

  /** Its length in bytes, and the text as UTF-8. */
  text(text: string): void {
    if (!this.#asciiBytes(text, NOTHING, NOTHING)) this.#utf8(text);
  }

  /** As {@link text}, for ASCII without dots and percent signs. Returns false, and writes nothing, for any other text. */
  plainText(text: string): boolean {
    return this.#asciiBytes(text, DOT, PERCENT);
  }

  bytes(bytes: Buffer): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /**
   * A text of another buffer, which begins at `from` and ends before the next quote; as {@link text}.
   * @returns where the quote stands; -1, and nothing is written: the text has a backslash or a control character, or reaches `limit`
   */
  quoted(source: Buffer, from: number, limit: number): number {
    this.#reserve(SHORT + 1);
    const bytes = this.#bytes;
    const short = Math.min(limit, from + SHORT + 1);
    let at = this.#at + 1;
    let end = from;
    for (; end < short; end++) {
      const byte = source[end] ?? 0;
      if (byte === QUOTE) {
        bytes[this.#at] = end - from;
        this.#at = at;
        return end;
      }
      if (byte < SPACE || byte === BACKSLASH) return -1;
      bytes[at++] = byte;
    }
    for (; end < limit; end++) {
      const byte = source[end] ?? 0;
      if (byte === QUOTE) {
        this.varint(end - from);
        this.copy(source, from, end);
        return end;
      }
      if (byte < SPACE || byte === BACKSLASH) return -1;
    }
    return -1;
  }

  /** Bytes of another buffer. */
  copy(source: Buffer, from: number, end: number): void {
    const length = end - from;
    this.#reserve(length);
    if (length > SHORT_COPY) {
      source.copy(this.#bytes, this.#at, from, end);
      this.#at += length;
      return;
    }
    const bytes = this.#bytes;
    let at = this.#at;
    for (let i = from; i < end; i++) bytes[at++] = source[i] ?? 0;
    this.#at = at;
  }

  #asciiBytes(text: string, not: number, nor: number): boolean {
    const { length } = text;
    if (length > SHORT) return false;
    this.#reserve(length + 1);
    const bytes = this.#bytes;
    let at = this.#at;
    bytes[at++] = length;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code === 0 || code > 127 || code === not || code === nor) return false;
      bytes[at++] = code;
    }
    this.#at = at;
    return true;
  }

  #utf8(text: string): void {
    if (UNCLEAN.test(text)) this.isUnclean = true;
    const length = Buffer.byteLength(text);
    this.varint(length);
    this.#reserve(length);
    this.#at += this.#bytes.write(text, this.#at, 'utf8');
  }

  #word(value: number): void {
    const at = this.#at;
    this.#bytes[at] = value;
    this.#bytes[at + 1] = value >>> 8;
    this.#bytes[at + 2] = value >>> 16;
    this.#bytes[at + 3] = value >>> 24;
    this.#at = at + 4;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes > this.#bytes.length) this.#grow(bytes);
  }

  #grow(bytes: number): void {
    const used = this.#at - this.#start;
    if (used + bytes > this.limit) throw new TooLong();
    const next = Buffer.allocUnsafeSlow(Math.max(CHUNK, 2 * (used + bytes)));
    this.#bytes.copy(next, 0, this.#start, this.#at);
    this.#bytes = next;
    this.#start = 0;
    this.#at = used;
  }
}

const NOTHING = -1;
const PERCENT = 0x25;

/** Where the two digits of each byte of a UUID stand in its text, in the order of RowBinary. */
const UUID_PLACES = Uint8Array.of(16, 14, 11, 9, 6, 4, 2, 0, 34, 32, 30, 28, 26, 24, 21, 19);

/** The value of a hexadecimal digit of lower case, by its code. */
const digit = (code: number): number => (code & 15) + (code >> 6) * 9;

/** Reads what a BytesWriter wrote. */
export class BytesReader {
  at = 0;

  constructor(private readonly source: Buffer) {}

  get isAtEnd(): boolean {
    return this.at >= this.source.length;
  }

  byte(): number {
    return this.source.readUInt8(this.#next(1));
  }

  uint32(): number {
    return this.source.readUInt32LE(this.#next(4));
  }

  int64(): number {
    return Number(this.source.readBigInt64LE(this.#next(8)));
  }

  float64(): number {
    return this.source.readDoubleLE(this.#next(8));
  }

  varint(): number {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  }

  uuid(): string {
    const at = this.#next(16);
    const half = (start: number) =>
      Buffer.from(this.source.subarray(start, start + 8))
        .reverse()
        .toString('hex');
    return uuidOfHex(half(at) + half(at + 8));
  }

  text(): string {
    const length = this.varint();
    const at = this.#next(length);
    return this.source.toString('utf8', at, at + length);
  }

  #next(bytes: number): number {
    const { at } = this;
    this.at += bytes;
    return at;
  }
}
