import * as zlib from 'node:zlib';
import { joinedBytes } from '../../../kernel/joined-bytes.js';
import type { Decoding } from '../decoding.js';
import { SdkError } from '../sdk-error.js';

/** Encodings that bodies may come in. */
export type Encoding = 'gzip' | 'deflate' | 'br' | 'zstd';

/**
 * Bytes up to which inflating here is quicker than a round trip to the thread pool: 256 KiB take about 0.1 ms, and a
 * bomb that claims to be small is stopped after as much.
 */
const HERE = 256 * 1024;
const CHUNK = 256 * 1024;
/** Since Node.js 22.15. */
const nativeZstd = 'createZstdDecompress' in zlib ? (zlib.createZstdDecompress as Open) : null;
/** Head and tail of gzip, bytes. */
const SHORTEST_GZIP = 18;
type Open = (options: zlib.ZlibOptions) => zlib.Gunzip;
/** null: this platform has none. */
const OPENERS: Record<Encoding, ((bytes: Buffer) => Open) | null> = {
  gzip: () => zlib.createGunzip,
  // by RFC 9110 with the head and tail of zlib, which many clients leave out
  deflate: (bytes) => (hasZlibHead(bytes) ? zlib.createInflate : zlib.createInflateRaw),
  br: () => zlib.createBrotliDecompress,
  zstd: nativeZstd ? () => nativeZstd : null,
};

/** Whether the bytes are gzip, whatever the headers say. */
export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;

/** The error of bytes that are not in the declared encoding. */
const undecodable = (encoding: string): SdkError =>
  new SdkError('bad_compression', `The payload could not be decompressed as ${encoding}.`);

/** RFC 1950, 2.2: the method is 8, and both bytes together are a multiple of 31. */
const hasZlibHead = (bytes: Buffer): boolean =>
  bytes.length >= 2 && ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;

/**
 * Decompresses at most `cap` bytes.
 * @throws SdkError bad_compression, payload_too_large
 */
export async function inflate(bytes: Buffer, encoding: Encoding, cap: number, decoding: Decoding): Promise<Buffer> {
  if (encoding !== 'gzip') return inflateElsewhere(bytes, encoding, cap, decoding);
  if (!isGzip(bytes) || bytes.length < SHORTEST_GZIP) throw undecodable('gzip');
  // its last four bytes tell the length of what is in it, if nothing is missing
  const claimed = bytes.readUInt32LE(bytes.length - 4);
  const here = claimed <= HERE && bytes.length <= HERE ? inflateHere(bytes, claimed, Math.min(cap, HERE)) : null;
  return here ?? inflateElsewhere(bytes, encoding, cap, decoding);
}

/** null when it turns out larger than it claimed. */
function inflateHere(bytes: Buffer, claimed: number, most: number): Buffer | null {
  try {
    // one chunk that holds everything halves the time
    return zlib.gunzipSync(bytes, { chunkSize: Math.max(claimed + 64, 1024), maxOutputLength: most });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw undecodable('gzip');
  }
}

async function inflateElsewhere(bytes: Buffer, encoding: Encoding, cap: number, decoding: Decoding): Promise<Buffer> {
  const open = OPENERS[encoding];
  if (!open) return decoding.zstd.decompress(bytes, cap, decoding.reserve);
  const chunks: Buffer[] = [];
  let length = 0;
  const stream = open(bytes)({ chunkSize: CHUNK });
  stream.end(bytes);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (length + chunk.length > cap) throw new SdkError('payload_too_large');
      decoding.reserve(chunk.length);
      chunks.push(chunk);
      length += chunk.length;
    }
  } catch (error) {
    throw error instanceof SdkError ? error : undecodable(encoding);
  }
  return joinedBytes(chunks, decoding.scheduler);
}
