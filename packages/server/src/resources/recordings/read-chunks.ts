import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Blobs } from '../../ports/blobs.js';

const decompress = promisify(gunzip);

/** Blobs under way at the same time: a bucket takes long for each. */
const AHEAD = 8;

/** The lines of some blobs, in order; those that are gone are left out. */
export async function* readChunks(blobs: Blobs, keys: readonly string[]): AsyncGenerator<Buffer> {
  const under: Promise<Buffer>[] = [];
  const take = (key: string | undefined) => {
    if (key === undefined) return;
    const reading = readChunk(blobs, key);
    // whoever stops reading does not wait for it
    reading.catch(() => {});
    under.push(reading);
  };
  for (const key of keys.slice(0, AHEAD)) take(key);
  for (let i = 0; i < keys.length; i++) {
    const lines = await under.shift();
    take(keys[i + AHEAD]);
    if (lines && lines.length > 0) yield lines;
  }
}

async function readChunk(blobs: Blobs, key: string): Promise<Buffer> {
  const blob = await blobs.get(key);
  return blob ? decompress(await buffer(blob.stream)) : Buffer.alloc(0);
}
