import { access, constants, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Directories inside it that this process writes. The one of PostgreSQL may belong to the account of its server. */
const PARTS = ['events', 'events-log', 'blobs'];

/** @throws Error with one sentence if this user cannot write the data directory or a part of it */
export async function requireWritable(dataDir: string): Promise<void> {
  for (const path of [dataDir, ...PARTS.map((part) => join(dataDir, part))]) {
    try {
      await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      if (code !== 'ENOENT' || path === dataDir) throw await refusal(path, code, error);
    }
  }
}

async function refusal(path: string, code: unknown, cause: unknown): Promise<Error> {
  if (code === 'EROFS') {
    return new Error(`TIDEMARK_DATA cannot be written: ${path} is on a file system that is mounted read-only.`, { cause });
  }
  const owner = (await stat(path).catch(() => null))?.uid;
  const [whose, own] = [owner === undefined ? 'another user' : `the user number ${owner}`, process.getuid?.()];
  return new Error(
    `TIDEMARK_DATA cannot be written: ${path} belongs to ${whose}, and this is the user number ${own}: start Tidemark as its owner, or give the whole directory to this user (chown -R).`,
    { cause },
  );
}
