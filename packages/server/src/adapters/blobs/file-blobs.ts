import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type BlobEntry, type Blobs, blobKey, blobPrefix } from '../../ports/blobs.js';
import { syncDirectory } from '../system/index.js';

/** The folder in which contents are written until they are complete; no key begins with a dot. */
const INCOMING = '.incoming';

/**
 * Blobs as files under `root`, which no other process uses, unless it is only read. With `fsync` off a blob may not survive a power loss.
 */
export async function openFileBlobs(
  root: string,
  { fsync, isReadOnly = false }: { fsync: boolean; isReadOnly?: boolean },
): Promise<Blobs> {
  const incoming = join(root, INCOMING);
  if (!isReadOnly) {
    // writes that a crash cut off
    await rm(incoming, { recursive: true, force: true });
    await makeFolders(incoming);
  }
  let puts = 0;

  const sync = async (path: string) => {
    if (fsync) await syncDirectory(path);
  };

  /** Creates a folder and its parents; the name of each is durable once its parent is synced. */
  const makeFolder = async (path: string) => {
    const first = await mkdir(path, { recursive: true });
    if (!first) return;
    for (let made = path; made.length >= first.length; made = dirname(made)) await sync(dirname(made));
  };

  return {
    async put(key, content) {
      const path = join(root, blobKey(key));
      const part = join(incoming, String(++puts));
      try {
        const size = await write(part, content, fsync);
        await makeFolder(dirname(path));
        await rename(part, path);
        await sync(dirname(path));
        return { size };
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      }
    },

    async get(key, { from = 0, to } = { from: 0 }) {
      const file = await open(join(root, blobKey(key))).catch(absent);
      if (!file) return null;
      const { size } = await file.stat();
      const end = Math.min(to ?? size, size);
      if (from >= end) {
        await file.close();
        return { size, stream: Readable.from([]) };
      }
      return { size, stream: createReadStream('', { fd: file, start: from, end: end - 1 }) };
    },

    size: async (key) => (await stat(join(root, blobKey(key))).catch(absent))?.size ?? null,
    delete: (key) => rm(join(root, blobKey(key)), { force: true }),
    async deleteAll(prefix) {
      if (blobPrefix(prefix)) return rm(join(root, prefix), { recursive: true, force: true });
      for (const name of await namesIn(root)) await rm(join(root, name.key), { recursive: true, force: true });
    },
    list: (prefix) => walk(root, blobPrefix(prefix)),
    close: async () => {},
  };
}

async function write(path: string, content: Uint8Array | Readable, fsync: boolean): Promise<number> {
  const file = await open(path, 'wx');
  if (content instanceof Readable) return writeStream(file, content, fsync);
  try {
    await file.writeFile(content);
    if (fsync) await file.datasync();
  } finally {
    await file.close();
  }
  return content.byteLength;
}

async function writeStream(file: FileHandle, content: Readable, fsync: boolean): Promise<number> {
  const sink = createWriteStream('', { fd: file, flush: fsync });
  await pipeline(content, sink);
  return sink.bytesWritten;
}

interface Name {
  key: string;
  isFolder: boolean;
}

/** Makes a folder and its parents. `recursive` of Node.js never ends where the system takes no folders, such as in /proc. */
async function makeFolders(path: string): Promise<void> {
  const make = () =>
    mkdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  await make().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || path === dirname(path)) throw error;
    await makeFolders(dirname(path));
    await make();
  });
}

/** The entries of a folder in the order of keys: a folder sorts as its name with a slash. */
async function namesIn(folder: string): Promise<Name[]> {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(absent)) ?? [];
  return entries
    .filter(({ name }) => !name.startsWith('.'))
    .map((entry) => ({ key: entry.isDirectory() ? `${entry.name}/` : entry.name, isFolder: entry.isDirectory() }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

async function* walk(root: string, prefix: string): AsyncGenerator<BlobEntry> {
  for (const { key, isFolder } of await namesIn(join(root, prefix))) {
    if (isFolder) yield* walk(root, prefix + key);
    else {
      const found = await stat(join(root, prefix + key)).catch(absent);
      if (found) yield { key: prefix + key, size: found.size };
    }
  }
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}
