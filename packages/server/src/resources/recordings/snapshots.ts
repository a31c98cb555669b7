import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { z } from 'zod';
import type { Deps } from '../../deps.js';
import { isoTime } from '../../http/dates.js';
import { chunkKey } from '../../ingestion/index.js';
import { ApiError } from '../../kernel/errors.js';
import type { Db } from '../../ports/db.js';
import type { snapshotQuery, sourcesSchema } from './schema.js';

/** Maximum of blocks in one request. */
const MAX_BLOCKS = 20;

/** The recording whose snapshots are read: its id, project and session. */
interface SnapshotsOf {
  id: number;
  projectId: number;
  sessionId: string;
}

/**
 * The list of blocks of a recording, or, with `source`, the snapshots of the requested blocks as lines of JSON, streamed from the store.
 * @throws ApiError required, invalid_input: the first or last block; not_found: there is no such block
 */
export async function readSnapshots(
  deps: Deps,
  { id, projectId, sessionId }: SnapshotsOf,
  query: z.output<typeof snapshotQuery>,
): Promise<z.output<typeof sourcesSchema> | Readable> {
  const blocks = blocksOf(await chunksOf(deps.db, id));
  if (query.source === undefined) return { sources: blocks.map(sourceOf) };
  const selected = selectBlocks(blocks, query.start_blob_key ?? query.blob_key, query.end_blob_key);
  const keys = selected.flatMap(({ chunks }) => chunks.map(({ hash }) => chunkKey(projectId, sessionId, hash)));
  return Readable.from(readChunks(deps, keys), { objectMode: false });
}

const sourceOf = ({ key, start, end }: Block) => ({
  source: 'blob_v2' as const,
  start_timestamp: isoTime(start),
  end_timestamp: isoTime(end),
  blob_key: key,
});

/** @throws ApiError invalid_input: not a number, or too many; not_found: there is no such block */
function selectBlocks(blocks: readonly Block[], first: string | undefined, last: string | undefined): Block[] {
  const from = keyNumber(first, 'start_blob_key');
  const to = last ? keyNumber(last, 'end_blob_key') : from;
  if (to < from) throw new ApiError('invalid_input', 'The last block comes before the first.', 'end_blob_key');
  if (to - from >= MAX_BLOCKS)
    throw new ApiError('invalid_input', `Ask for at most ${MAX_BLOCKS} blocks at a time.`, 'end_blob_key');
  if (to >= blocks.length) throw new ApiError('not_found');
  return blocks.slice(from, to + 1);
}

function keyNumber(text: string | undefined, name: string): number {
  if (!text) throw new ApiError('required', undefined, name);
  if (!/^\d{1,9}$/.test(text)) throw new ApiError('invalid_input', 'Must be the number of a block.', name);
  return Number(text);
}

/** Limits of a block; a larger chunk is a block of its own. */
const BLOCK_BYTES = 1024 * 1024;
const BLOCK_CHUNKS = 64;

/** Chunks that are read together. */
interface Block {
  key: string;
  start: Date;
  end: Date;
  chunks: ChunkRow[];
}

/** Groups chunks, sorted by time, into blocks numbered from 0. */
function blocksOf(chunks: readonly ChunkRow[]): Block[] {
  const blocks: Block[] = [];
  let bytes = 0;
  for (const chunk of chunks) {
    const last = blocks.at(-1);
    bytes += chunk.size;
    if (last && bytes <= BLOCK_BYTES && last.chunks.length < BLOCK_CHUNKS) {
      last.chunks.push(chunk);
      if (chunk.end_time > last.end) last.end = chunk.end_time;
    } else {
      blocks.push({ key: String(blocks.length), start: chunk.start_time, end: chunk.end_time, chunks: [chunk] });
      bytes = chunk.size;
    }
  }
  return blocks;
}

/** The chunks of a recording by time. */
const chunksOf = (db: Db, recordingId: number) =>
  db
    .selectFrom('recording_chunks')
    .select(['hash', 'start_time', 'end_time', 'size'])
    .where('recording_id', '=', recordingId)
    .orderBy('start_time')
    .orderBy('hash')
    .execute();

type ChunkRow = Awaited<ReturnType<typeof chunksOf>>[number];

const decompress = promisify(gunzip);

/** Blobs that are read at the same time, because a bucket has a high latency. */
const AHEAD = 8;

/**
 * The lines of some blobs, in order. Missing and damaged blobs are left out, so that the rest of the recording plays.
 * @throws the error of the blob store, when it cannot be read
 */
async function* readChunks(deps: Pick<Deps, 'blobs' | 'log'>, keys: readonly string[]): AsyncGenerator<Buffer> {
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
