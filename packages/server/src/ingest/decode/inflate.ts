import * as zlib from 'node:zlib';
import { type Hold, Refusal } from './refusal.js';

/** Encodings that bodies may come in. */
export type Encoding = 'gzip' | 'deflate' | 'br' | 'zstd';

/**
 * Bytes up to which inflating here is quicker than a round trip to the thread pool: 256 KiB take about 0.1 ms, and a
 * bomb that claims to be small is stopped after as much.
 */
const HERE = 256 * 1024;
const CHUNK = 256 * 1024;
/** Head and tail of gzip, bytes. */
const SHORTEST_GZIP = 18;
const OPENERS: Record<Encoding, typeof zlib.createGunzip | undefined> = {
  gzip: zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  // since Node.js 22.15
  zstd: 'createZstdDecompress' in zlib ? (zlib.createZstdDecompress as typeof zlib.createGunzip) : undefined,
};

/** Whether this platform can decompress it. */
export const isKnown = (encoding: Encoding): boolean => OPENERS[encoding] !== undefined;

/** Whether the bytes are gzip, whatever the headers say. */
export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;

/**
 * Decompresses at most `cap` bytes.
 * @throws Refusal bad_compression, payload_too_large
 */
export async function inflate(bytes: Buffer, encoding: Encoding, cap: number, hold: Hold): Promise<Buffer> {
  if (encoding !== 'gzip') return inflateElsewhere(bytes, encoding, bytes.length * 4, cap, hold);
  if (!isGzip(bytes) || bytes.length < SHORTEST_GZIP) throw new Refusal('bad_compression');
  // its last four bytes tell the length of what is in it, if nothing is missing
  const claimed = bytes.readUInt32LE(bytes.length - 4);
  const here = claimed <= HERE && bytes.length <= HERE ? inflateHere(bytes, claimed, Math.min(cap, HERE)) : null;
  return here ?? inflateElsewhere(bytes, encoding, claimed, cap, hold);
}

/** null when it turns out larger than it claimed. */
function inflateHere(bytes: Buffer, claimed: number, most: number): Buffer | null {
  try {
    // one chunk that holds everything halves the time
    return zlib.gunzipSync(bytes, { chunkSize: Math.max(claimed + 64, 1024), maxOutputLength: most });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw new Refusal('bad_compression');
  }
}

async function inflateElsewhere(bytes: Buffer, encoding: Encoding, guess: number, cap: number, hold: Hold): Promise<Buffer> {
  // only what is written to takes real memory, so a claim that is a lie costs nothing
  let out = Buffer.allocUnsafe(Math.min(guess, cap));
  let length = 0;
  const open = OPENERS[encoding];
  if (!open) throw new Refusal('bad_compression');
  const stream = open({ chunkSize: CHUNK });
  stream.end(bytes);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (length + chunk.length > cap) throw new Refusal('payload_too_large');
      if (length + chunk.length > out.length) {
        const larger = Buffer.allocUnsafe(Math.min(cap, Math.max(out.length * 2, length + chunk.length)));
        out.copy(larger, 0, 0, length);
        out = larger;
      }
      hold(chunk.length);
      chunk.copy(out, length);
      length += chunk.length;
    }
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal('bad_compression');
  }
  return out.subarray(0, length);
}
