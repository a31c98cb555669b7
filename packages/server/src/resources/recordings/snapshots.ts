import { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Deps } from '../../deps.js';
import { isoTime } from '../../http/dates.js';
import { chunkKey } from '../../ingestion/index.js';
import { ApiError } from '../../kernel/errors.js';
import { type Block, blocksOf } from './blocks.js';
import { chunksOf } from './chunk-store.js';
import { readChunks } from './read-chunks.js';
import type { snapshotQuery, sourcesSchema } from './schema.js';

/** Most blocks of one request. */
const MAX_BLOCKS = 20;

/** Whose snapshots: the number of a recording, its project and its session. */
export interface SnapshotsOf {
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
