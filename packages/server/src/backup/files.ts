import { createHash } from 'node:crypto';
import { type Readable, Transform } from 'node:stream';
import type { Blobs } from '../ports/blobs.js';
import type { BackupFile } from './manifest.js';

/** Writes a file of a backup. */
export async function writeFile(folder: Blobs, key: string, content: Readable): Promise<BackupFile> {
  const hashed = hashing();
  content.once('error', (error) => hashed.stream.destroy(error));
  const { size } = await folder.put(key, content.pipe(hashed.stream)).finally(() => content.destroy());
  return { key, bytes: size, sha256: hashed.digest() };
}

/**
 * Reads a file of a backup.
 * @returns the content, and what is to be called once it was read: it throws when the file is damaged
 * @throws Error in one sentence when the file is missing
 */
export async function readFile(folder: Blobs, file: BackupFile): Promise<{ content: Readable; verify(): void }> {
  const blob = await folder.get(file.key);
  if (!blob || blob.size !== file.bytes) {
    blob?.stream.destroy();
    throw new Error(`The backup is damaged: ${file.key} ${blob ? 'has another size than it was written with' : 'is missing'}.`);
  }
  const hashed = hashing();
  blob.stream.once('error', (error) => hashed.stream.destroy(error));
  return {
    content: blob.stream.pipe(hashed.stream),
    verify: () => {
      if (hashed.digest() !== file.sha256)
        throw new Error(`The backup is damaged: ${file.key} does not agree with its checksum.`);
    },
  };
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
