import { Decompress } from 'fzstd';
import { move } from 'piscina';
import type { ZstdInput, ZstdOutput } from './zstd.js';
import { largestWindow } from './zstd-frames.js';

// Runs in a worker thread: the library decodes a frame in one go, and a hostile one for many seconds.

/** Bytes that a frame may ask for; what every decoder has to support (RFC 8878, 3.1.1.1.2). */
const MAX_WINDOW = 8 * 1024 * 1024;

class TooLarge extends Error {}

/** Decompresses at most `cap` bytes. */
export function decompress({ bytes, cap }: ZstdInput): ZstdOutput {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    if (largestWindow(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) > MAX_WINDOW) return 'payload_too_large';
    const stream = new Decompress((chunk) => {
      length += chunk.length;
      if (length > cap) throw new TooLarge();
      chunks.push(chunk);
    });
    stream.push(bytes, true);
  } catch (error) {
    return error instanceof TooLarge ? 'payload_too_large' : 'bad_compression';
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  move(whole);
  return whole;
}
