import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Deps } from '../../deps.js';
import { inTransaction } from '../../http/in-transaction.js';
import { SdkError } from '../../http/sdk/index.js';
import type { JsonObject } from '../../kernel/json.js';
import { isForeignKeyViolation } from '../../kernel/sql.js';
import type { Scheduler } from '../../ports/system.js';
import type { ReplayPart } from '../decode/index.js';
import { cleanText } from '../storable.js';
import { addToRecording, insertChunk, readRecordingSettings, upsertRecording } from './store.js';
import { summarize } from './summary.js';

const compress = promisify(gzip);

/** Prefix of the keys of a recording's blobs. */
export const recordingPrefix = (projectId: number, sessionId: string): string => `recordings/${projectId}/${sessionId}/`;

export const chunkKey = (projectId: number, sessionId: string, hash: string): string =>
  `${recordingPrefix(projectId, sessionId)}${hash}`;

/**
 * Stores the snapshots of a request; durable (fsync) when it resolves. Idempotent: repeated parts are stored once, deleted recordings stay deleted.
 * @returns false: recording is disabled in the project, nothing was stored
 * @throws SdkError unknown_token: the project was deleted; too_deep; overloaded: the blob store is unavailable
 */
export async function storeReplay(deps: Deps, projectId: number, parts: readonly ReplayPart[]): Promise<boolean> {
  const recordingSettings = await readRecordingSettings(
    deps.db,
    projectId,
    parts.map(({ sessionId }) => sessionId),
  );
  if (!recordingSettings) throw new SdkError('unknown_token');
  if (!recordingSettings.records) return false;
  for (const part of parts) {
    if (part.snapshots.length > 0 && !recordingSettings.deleted.includes(part.sessionId)) await storePart(deps, projectId, part);
  }
  return true;
}

async function storePart(deps: Deps, projectId: number, part: ReplayPart): Promise<void> {
  const now = deps.clock.now();
  const { lines, hash } = await linesOf(part, deps.scheduler);
  await deps.scheduler.yield();
  const summary = summarize(part, now);
  const key = chunkKey(projectId, part.sessionId, hash);
  const chunk = { hash, size: lines.length };
  const recording = { ...part, distinctId: cleanText(part.distinctId), library: cleanText(part.library) };
  await deps.blobs.put(key, await compress(lines)).catch((error: unknown) => {
    deps.log.error({ err: error }, 'a recording could not be stored');
    throw new SdkError('overloaded', 'Recordings cannot be stored at the moment. Try again shortly.');
  });
  const stored = await inTransaction(deps.db, async (tx) => {
    const recordingId = await upsertRecording(tx, projectId, recording, summary, new Date(now));
    if (recordingId === null) return false;
    if (await insertChunk(tx, recordingId, chunk, summary)) {
      await addToRecording(tx, recordingId, summary, { size: lines.length, events: part.snapshots.length });
    }
    return true;
  }).catch((error: unknown) => {
    if (isForeignKeyViolation(error)) return false;
    throw error;
  });
  // no row references the blob, so nothing else would ever delete it
  if (!stored) await deps.blobs.delete(key);
}

/** Characters written in one turn, and bytes copied, unless one snapshot alone is longer. */
const CHARACTERS_PER_TURN = 512 * 1024;
const BYTES_PER_TURN = 2 * 1024 * 1024;

/** JSON Lines, one snapshot each: `["<window id>", {snapshot}]`. With their hash, in turns: a request may have 25 MB. */
async function linesOf({ snapshots }: ReplayPart, scheduler: Scheduler): Promise<{ lines: Buffer; hash: string }> {
  const hash = createHash('sha256');
  const pieces: Buffer[] = [];
  let size = 0;
  const put = async (text: string) => {
    await scheduler.yield();
    const piece = Buffer.from(text);
    pieces.push(piece);
    size += piece.length;
    await scheduler.yield();
    hash.update(piece);
  };
  let text = '';
  for (const { windowId, snapshot } of snapshots) {
    text += lineOf(windowId, snapshot);
    if (text.length < CHARACTERS_PER_TURN) continue;
    await put(text);
    text = '';
  }
  await put(text);
  const lines = Buffer.allocUnsafe(size);
  let [at, copied] = [0, 0];
  for (const piece of pieces) {
    at += piece.copy(lines, at);
    if (at - copied < BYTES_PER_TURN) continue;
    copied = at;
    await scheduler.yield();
  }
  return { lines, hash: hash.digest('hex').slice(0, 40) };
}

function lineOf(windowId: string, snapshot: JsonObject): string {
  try {
    return `${JSON.stringify([windowId, snapshot])}\n`;
  } catch (error) {
    if (error instanceof RangeError) throw new SdkError('too_deep');
    throw error;
  }
}
