import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** A file as it is sent. */
export interface StaticFile {
  plain: Buffer;
  gzip: Buffer;
  br: Buffer;
  etag: string;
  /** Its name changes with its content, so it may be kept for ever. */
  immutable: boolean;
}

/** The scripts in a directory by name; none when there is no such directory. */
export async function readStaticFiles(directory: string): Promise<Map<string, StaticFile>> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const scripts = names.filter((name) => name.endsWith('.js'));
  return new Map(await Promise.all(scripts.map(async (name) => [name, await toFile(name, join(directory, name))] as const)));
}

async function toFile(name: string, path: string): Promise<StaticFile> {
  const plain = await readFile(path);
  const [zipped, br] = await Promise.all([
    promisify(gzip)(plain, { level: 9 }),
    // the highest quality takes long for a start, and saves a few bytes in a hundred
    promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  ]);
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { plain, gzip: zipped, br, etag, immutable: /-[A-Z0-9]{8}\.js$/.test(name) };
}
