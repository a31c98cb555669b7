import { Readable } from 'node:stream';
import { isoTime } from '../../http/dates.js';
import { projectRoute } from '../../identity/index.js';
import { chunkKey } from '../../ingest/index.js';
import { ApiError } from '../../kernel/errors.js';
import { type Block, blocksOf } from './blocks.js';
import { chunksOf } from './chunk-store.js';
import { findFor } from './find-recording.js';
import { readChunks } from './read-chunks.js';
import { recordingParams, snapshotQuery, sourcesSchema } from './schema.js';

/** Most blocks of one request. */
const MAX_BLOCKS = 20;

/** What was recorded, below a recording. */
export const snapshotRoutes = [
  projectRoute({
    method: 'GET',
    path: '/session_recordings/:id/snapshots/',
    params: recordingParams,
    scope: 'session_recording:read',
    summary: 'Retrieve what was recorded',
    description: `Without \`source\`: the list of blocks. With \`source=blob_v2\`, \`start_blob_key\` and \`end_blob_key\`: the snapshots of these blocks as
lines of JSON, \`["<window id>", {event}]\` each, by time.`,
    query: snapshotQuery,
    status: 200,
    response: sourcesSchema,
    otherMediaType: 'application/jsonl',
    load: findFor('viewer'),
    handle: async ({ deps, project, query, loaded: { id, session_id }, reply }) => {
      const blocks = blocksOf(await chunksOf(deps.db, id));
      if (query.source === undefined) return { sources: blocks.map(sourceOf) };
      const asked = selectBlocks(blocks, query.start_blob_key ?? query.blob_key, query.end_blob_key);
      const keys = asked.flatMap(({ chunks }) => chunks.map(({ hash }) => chunkKey(project.id, session_id, hash)));
      return reply
        .type('application/jsonl; charset=utf-8')
        .header('cache-control', 'private, no-cache')
        .send(Readable.from(readChunks(deps.blobs, keys), { objectMode: false }));
    },
  }),
];

const sourceOf = ({ key, start, end }: Block) => ({
  source: 'blob_v2',
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
