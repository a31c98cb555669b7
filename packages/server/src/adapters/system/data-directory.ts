import { createHash } from 'node:crypto';
import { access, constants, mkdir, open, realpath, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface DataDirectoryLock {
  release(): Promise<void>;
}

/**
 * Creates the data directory, accessible to its owner only, if it is missing. Locks it until the lock is released or this process ends.
 * @throws Error with one sentence if it cannot be written or another process has locked it
 */
export async function lockDataDirectory(dataDir: string): Promise<DataDirectoryLock> {
  const lock = await tryLockDataDirectory(dataDir);
  if (lock) return lock;
  const path = await realpath(dataDir);
  throw new Error(`Another Tidemark is running on ${path}: stop it first, or set TIDEMARK_DATA to another directory.`);
}

/** As {@link lockDataDirectory}, but resolves with null if another process has locked it. */
export async function tryLockDataDirectory(dataDir: string): Promise<DataDirectoryLock | null> {
  await createDirectory(dataDir);
  await requireWritable(dataDir);
  const path = await realpath(dataDir);
  const name = `tidemark-${createHash('sha256').update(path).digest('hex').slice(0, 32)}`;
  // Linux: an abstract socket, which the kernel gives to one process and releases when it exits
  const address = process.platform === 'linux' ? `\0${name}` : join(tmpdir(), name);
  const server = (await listen(address)) ?? (await listenAbandoned(address));
  return server && { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

async function createDirectory(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    // on a read-only file system the error is ENOENT
    const reason =
      error instanceof Error && 'code' in error && error.code !== 'ENOENT' ? error.message : 'its file system is read-only';
    throw new Error(`TIDEMARK_DATA cannot be written: ${dataDir} cannot be made (${reason}).`, { cause: error });
  }
}

/** Listens on the address. Resolves with null if it is in use. */
function listen(address: string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)));
    // the lock alone does not keep the process alive
    server.listen(address, () => resolve(server.unref()));
  });
}

/** Replaces a socket file whose process has exited. */
async function listenAbandoned(address: string): Promise<Server | null> {
  if (address.startsWith('\0') || (await isAnswered(address))) return null;
  await rm(address, { force: true });
  return listen(address);
}

function isAnswered(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('connect', () => resolve(socket.destroy() !== undefined));
    socket.once('error', () => resolve(false));
  });
}

/** Directories inside it that this process writes. The one of PostgreSQL may belong to the account of its server. */
const PARTS = ['events', 'events-log', 'blobs'];

/** @throws Error with one sentence if this user cannot write the data directory or a part of it */
async function requireWritable(dataDir: string): Promise<void> {
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

/** Makes the names in a directory durable (fsync): a new or renamed file survives a power loss. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
