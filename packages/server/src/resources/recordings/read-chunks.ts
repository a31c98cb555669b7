import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Deps } from '../../deps.js';

const decompress = promisify(gunzip);

/** Blobs under way at the same time: a bucket takes long for each. */
const AHEAD = 8;

/**
 * The lines of some blobs, in order. Blobs that are gone or damaged are left out, so that the rest of the recording plays.
 * @throws the error of the blob store, when it cannot be read
 */
export async function* readChunks(deps: Pick<Deps, 'blobs' | 'log'>, keys: readonly string[]): AsyncGenerator<Buffer> {
  const under: Promise<Buffer>[] = [];
  const take = (key: string | undefined) => {
    if (key === undefined) return;
    const reading = readChunk(deps, key);
    // a client that closes the connection must not wait for it
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

async function readChunk({ blobs, log }: Pick<Deps, 'blobs' | 'log'>, key: string): Promise<Buffer> {
  const blob = await blobs.get(key);
  if (!blob) return Buffer.alloc(0);
  const compressed = await buffer(blob.stream);
  try {
    return await decompress(compressed);
  } catch (error) {
    log.error({ err: error, key }, 'a stored part of a recording is damaged and left out');
    return Buffer.alloc(0);
  }
}
