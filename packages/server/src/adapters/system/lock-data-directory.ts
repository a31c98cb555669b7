import { createHash } from 'node:crypto';
import { mkdir, realpath, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface DataDirectoryLock {
  release(): Promise<void>;
}

/**
 * Makes the data directory, for its owner alone, when it is missing, and holds it for this process until released or dead.
 * @throws Error in one sentence when another process holds it
 */
export async function lockDataDirectory(dataDir: string): Promise<DataDirectoryLock> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = await realpath(dataDir);
  const name = `tidemark-${createHash('sha256').update(path).digest('hex').slice(0, 32)}`;
  // Linux: an address without a file, which the kernel gives to one process and takes back when it dies
  const address = process.platform === 'linux' ? `\0${name}` : join(tmpdir(), name);
  const server = (await hold(address)) ?? (await holdAbandoned(address));
  if (!server)
    throw new Error(`Another Tidemark is running on ${path}: stop it first, or set TIDEMARK_DATA to another directory.`);
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
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
