import type { Writable } from 'node:stream';
import { type BrotliDecompress, createBrotliDecompress, createGunzip, type Gunzip } from 'node:zlib';
import { Decompress } from 'fzstd';
import { sentenceOf } from '../../kernel/errors.js';
import { ImportError } from '../import-error.js';
import type { SourceFile } from './bytes.js';

/**
 * The bytes of a file, decompressed if they are gzip or zstd, by their first bytes, or brotli, by the name of the file.
 * @throws ImportError the file ends in the middle, or its compression is damaged
 */
export async function* readBytes({ path, bytes }: SourceFile): AsyncGenerator<Buffer> {
  if (bytes.size === 0) return;
  const chunks = bytes.read(0, bytes.size)[Symbol.asyncIterator]();
  try {
    const first = await chunks.next();
    if (first.done) return;
    const rest = { [Symbol.asyncIterator]: () => chunks };
    const magic = first.value.subarray(0, 4).toString('hex');
    if (magic.startsWith('1f8b')) yield* inflate(createGunzip(), first.value, rest, path);
    // brotli has no bytes of its own at its beginning
    else if (/\.br$/i.test(path)) yield* inflate(createBrotliDecompress(), first.value, rest, path);
    else if (magic === '28b52ffd') yield* unzstd(first.value, rest, path);
    else {
      yield first.value;
      yield* rest;
    }
  } catch (error) {
    if (error instanceof ImportError) throw error;
    throw new ImportError(`${path} cannot be read (${error instanceof Error ? error.message : error}).`);
  } finally {
    await chunks.return?.();
  }
}

const damaged = (path: string, error: unknown): ImportError => {
  const message = sentenceOf(error);
  const isShort = /unexpected end|unexpected EOF/i.test(message);
  return new ImportError(
    isShort
      ? `${path} ends in the middle: the rest of the file is missing.`
      : `The compression of ${path} is damaged (${message}).`,
  );
};

/** Resolves when a stream takes more, or has ended. */
export const roomIn = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
  });

async function* inflate(
  stream: Gunzip | BrotliDecompress,
  first: Buffer,
  rest: AsyncIterable<Buffer>,
  path: string,
): AsyncGenerator<Buffer> {
  const feed = (async () => {
    const write = async (chunk: Buffer): Promise<void> => {
      if (!stream.write(chunk) && !stream.destroyed) await roomIn(stream);
    };
    await write(first);
    for await (const chunk of rest) {
      if (stream.destroyed) return;
      await write(chunk);
    }
    stream.end();
  })();
  feed.catch((error: Error) => stream.destroy(error));
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    throw damaged(path, error);
  } finally {
    stream.destroy();
  }
}

async function* unzstd(first: Buffer, rest: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  let ready: Buffer[] = [];
  const stream = new Decompress((chunk) => {
    if (chunk.length > 0) ready.push(Buffer.from(chunk));
  });
  const push = (chunk: Uint8Array, isLast: boolean) => {
    try {
      stream.push(chunk, isLast);
    } catch (error) {
      throw damaged(path, error);
    }
  };
  push(first, false);
  for await (const chunk of rest) {
    yield* ready;
    ready = [];
    push(chunk, false);
  }
  yield* ready;
  ready = [];
  push(new Uint8Array(0), true);
  yield* ready;
}
