import type { ChunkRow } from './chunk-store.js';

/** What one block holds at most; a chunk that is larger is a block of its own. */
const BLOCK_BYTES = 1024 * 1024;
const BLOCK_CHUNKS = 64;

/** Chunks that are read together. */
export interface Block {
  key: string;
  start: Date;
  end: Date;
  chunks: ChunkRow[];
}

/** Groups chunks, sorted by time, into blocks numbered from 0. */
export function blocksOf(chunks: readonly ChunkRow[]): Block[] {
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
