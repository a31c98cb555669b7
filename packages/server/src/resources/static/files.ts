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

/** A name that ends with a hash of the content. */
const HASHED = /^(.+)-[A-Z0-9]{8}\.js$/;

/**
 * The file of that name. A page may hold a script of an earlier build, which asks for its parts by the names that they had: it gets
 * the same part of this build, which may not be kept.
 */
export function findFile(files: ReadonlyMap<string, StaticFile>, name: string): StaticFile | undefined {
  const part = HASHED.exec(name)?.[1];
  const exact = files.get(name);
  if (exact || !part) return exact;
  for (const [other, file] of files) if (HASHED.exec(other)?.[1] === part) return { ...file, immutable: false };
  return undefined;
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

/** A script in a directory, ready to be sent. */
export async function toFile(name: string, path: string): Promise<StaticFile> {
  const plain = await readFile(path);
  const [zipped, br] = await Promise.all([
    promisify(gzip)(plain, { level: 9 }),
    // the highest quality takes long for a start, and saves a few bytes in a hundred
    promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  ]);
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { plain, gzip: zipped, br, etag, immutable: HASHED.test(name) };
}
