import { createHash } from 'node:crypto';
import { mkdir, realpath, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireWritable } from './require-writable.js';

export interface DataDirectoryLock {
  release(): Promise<void>;
}

/**
 * Makes the data directory, for its owner alone, when it is missing, and holds it for this process until released or dead.
 * @throws Error in one sentence when it cannot be written, or another process holds it
 */
export async function lockDataDirectory(dataDir: string): Promise<DataDirectoryLock> {
  const lock = await tryLockDataDirectory(dataDir);
  if (lock) return lock;
  const path = await realpath(dataDir);
  throw new Error(`Another Tidemark is running on ${path}: stop it first, or set TIDEMARK_DATA to another directory.`);
}

/** As {@link lockDataDirectory}; null when another process holds it. */
export async function tryLockDataDirectory(dataDir: string): Promise<DataDirectoryLock | null> {
  await make(dataDir);
  await requireWritable(dataDir);
  const path = await realpath(dataDir);
  const name = `tidemark-${createHash('sha256').update(path).digest('hex').slice(0, 32)}`;
  // Linux: an address without a file, which the kernel gives to one process and takes back when it dies
  const address = process.platform === 'linux' ? `\0${name}` : join(tmpdir(), name);
  const server = (await hold(address)) ?? (await holdAbandoned(address));
  return server && { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

async function make(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    // on a file system that is read-only this is ENOENT
    const reason =
      error instanceof Error && 'code' in error && error.code !== 'ENOENT' ? error.message : 'its file system is read-only';
    throw new Error(`TIDEMARK_DATA cannot be written: ${dataDir} cannot be made (${reason}).`, { cause: error });
  }
}

/** Listens on the address; null when it is taken. */
function hold(address: string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)));
    // the lock alone keeps no process alive
    server.listen(address, () => resolve(server.unref()));
  });
}

/** Takes over a socket file whose process is dead. */
async function holdAbandoned(address: string): Promise<Server | null> {
  if (address.startsWith('\0') || (await isAnswered(address))) return null;
  await rm(address, { force: true });
  return hold(address);
}

function isAnswered(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('connect', () => resolve(socket.destroy() !== undefined));
    socket.once('error', () => resolve(false));
  });
}
