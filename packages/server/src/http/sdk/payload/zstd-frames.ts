const MAGIC = 0xfd2fb528;
/** Frames of other data, which decoders skip: 16 numbers. */
const SKIPPABLE = 0x184d2a50;
const BLOCK_HEAD = 3;
const RLE = 1;

/** Whether the bytes are Zstandard (RFC 8878), whatever the headers say. */
export const isZstd = (bytes: Buffer): boolean => bytes.length >= 4 && bytes.readUInt32LE(0) === MAGIC;

/**
 * The memory, in bytes, that the hungriest frame asks its decoder to reserve. Reads only the heads of frames and blocks.
 * @throws RangeError where the bytes end too early or are no frames
 */
export function largestWindow(bytes: Buffer): number {
  let largest = 0;
  for (let at = 0; at < bytes.length; ) {
    const magic = bytes.readUInt32LE(at);
    if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE) {
      at += 8 + bytes.readUInt32LE(at + 4);
      continue;
    }
    if (magic !== MAGIC) throw new RangeError('not a Zstandard frame');
    const head = readHead(bytes, at + 4);
    largest = Math.max(largest, head.window);
    at = skipBlocks(bytes, head.end) + (head.hasChecksum ? 4 : 0);
  }
  return largest;
}

function readHead(bytes: Buffer, at: number): { window: number; hasChecksum: boolean; end: number } {
  const flags = bytes.readUInt8(at);
  const isSingle = (flags & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][flags & 3] ?? 0;
  const sizeFlag = flags >> 6;
  const sizeBytes = sizeFlag === 0 ? (isSingle ? 1 : 0) : 1 << sizeFlag;
  const sizeAt = at + (isSingle ? 1 : 2) + dictionaryBytes;
  const window = isSingle ? contentSize(bytes, sizeAt, sizeBytes) : windowSize(bytes.readUInt8(at + 1));
  return { window, hasChecksum: (flags & 4) !== 0, end: sizeAt + sizeBytes };
}

function windowSize(byte: number): number {
  const base = 2 ** (10 + (byte >> 3));
  return base + (base / 8) * (byte & 7);
}

function contentSize(bytes: Buffer, at: number, length: number): number {
  if (length === 8) return Number(bytes.readBigUInt64LE(at));
  return bytes.readUIntLE(at, length) + (length === 2 ? 256 : 0);
}

/** Where the blocks of a frame end. */
function skipBlocks(bytes: Buffer, from: number): number {
  for (let at = from; ; ) {
    const head = bytes.readUIntLE(at, BLOCK_HEAD);
    at += BLOCK_HEAD + (((head >> 1) & 3) === RLE ? 1 : head >> 3);
    if ((head & 1) === 1) return at;
  }
}
