import type { Scheduler } from './scheduler.js';
import { createTurns } from './turns.js';

/** Bytes copied before other work gets a turn: about 5 ms. */
const BYTES_PER_TURN = 4 * 1024 * 1024;

/** One buffer of all. Pages that are written to for the first time cost most of it, so other work gets turns between them. */
export async function joinedBytes(chunks: readonly Buffer[], scheduler: Pick<Scheduler, 'yield'>): Promise<Buffer> {
  const [first, ...others] = chunks;
  if (first && others.length === 0) return first;
  const turns = createTurns(scheduler, BYTES_PER_TURN);
  const out = Buffer.allocUnsafe(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    at += chunk.copy(out, at);
    if (turns.isOver(chunk.length)) await turns.next();
  }
  return out;
}
