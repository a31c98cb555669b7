import { createHash } from 'node:crypto';
import { type Readable, Transform } from 'node:stream';
import type { Blobs } from '../ports/blobs.js';
import { EventsFull } from '../ports/events.js';
import type { BackupFile } from './manifest.js';

/** Writes a file of a backup. @throws Error in one sentence when there is no space left for it */
export async function writeFile(folder: Blobs, key: string, content: Readable): Promise<BackupFile> {
  try {
    const { bytes, sha256 } = await putHashed(folder, key, content);
    return { key, bytes, sha256 };
  } catch (error) {
    if (isFull(error))
      throw new Error('The folder of the backup has no space left: make room in it, and run it again.', { cause: error });
    throw error;
  }
}

async function putHashed(blobs: Blobs, key: string, content: Readable): Promise<{ bytes: number; sha256: string }> {
  const hashed = hashing();
  content.once('error', (error) => hashed.stream.destroy(error));
  const { size } = await blobs.put(key, content.pipe(hashed.stream)).finally(() => content.destroy());
  return { bytes: size, sha256: hashed.digest() };
}

/** Codes of a disk without space, of the system and of PostgreSQL. */
const FULL_CODES = new Set(['ENOSPC', 'EDQUOT', '53100']);

/** Whether a store or folder failed because it has no space left. */
export function isFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof EventsFull || ('code' in error && FULL_CODES.has(String(error.code)))) return true;
  // PostgreSQL that does not start has no code, only what it has printed
  return error.message.includes('No space left on device') || isFull(error.cause);
}

/**
 * Reads a file of a backup.
 * @param use reads the content to its end
 * @throws Error in one sentence when the file is missing or damaged, whatever `use` makes of that; else what `use` throws
 */
export async function readFile<T>(folder: Blobs, file: BackupFile, use: (content: Readable) => Promise<T>): Promise<T> {
  const blob = await folder.get(file.key);
  if (blob?.size !== file.bytes) {
    blob?.stream.destroy();
    throw wrongSize(file, blob?.size);
  }
  const hashed = hashing();
  blob.stream.once('error', (error) => hashed.stream.destroy(error));
  try {
    const result = await use(blob.stream.pipe(hashed.stream));
    if (hashed.digest() === file.sha256) return result;
  } catch (error) {
    if ((await sha256Of(folder, file.key)) === file.sha256) throw error;
  } finally {
    blob.stream.destroy();
  }
  throw new Damaged(`${file.key} does not agree with its checksum`);
}

/** What is wrong with a file of a backup. */
export class Damaged extends Error {
  /** @param what a part of a sentence, with the key of the file */
  constructor(readonly what: string) {
    super(`The backup is damaged: ${what}.`);
  }
}

/** @param size undefined: there is no such file */
const wrongSize = ({ key, bytes }: BackupFile, size: number | undefined): Damaged =>
  new Damaged(size === undefined ? `${key} is missing` : `${key} has ${size} bytes instead of ${bytes}`);

/**
 * @param size undefined: there is no such file
 * @throws Damaged when a file of a backup is missing, or has another size than it was written with
 */
export function requireSize(file: BackupFile, size: number | undefined): void {
  if (size !== file.bytes) throw wrongSize(file, size);
}

/** Copies a blob to other blobs. @returns what was read of it; null: it is gone */
export async function copyBlob(from: Blobs, to: Blobs, key: string): Promise<{ bytes: number; sha256: string } | null> {
  const blob = await from.get(key);
  return blob && putHashed(to, key, blob.stream);
}

/** The SHA-256 of a blob; null: there is none. */
export async function sha256Of(blobs: Blobs, key: string): Promise<string | null> {
  const blob = await blobs.get(key);
  if (!blob) return null;
  const hash = createHash('sha256');
  for await (const chunk of blob.stream) hash.update(chunk);
  return hash.digest('hex');
}

/** Passes bytes on and computes their SHA-256. */
function hashing(): { stream: Transform; digest(): string } {
  const hash = createHash('sha256');
  let digest: string | null = null;
  const stream = new Transform({
    transform: (chunk, _encoding, done) => {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  return {
    stream,
    digest: () => {
      digest ??= hash.digest('hex');
      return digest;
    },
  };
}
