import { uuidOfHex } from '../../../kernel/ids.js';

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
