import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** A script with its compressed forms. */
export interface StaticFile {
  plain: Buffer;
  gzip: Buffer;
  br: Buffer;
  etag: string;
  /** Whether the name contains a hash of the content, so that browsers may cache it forever. */
  immutable: boolean;
}

/** A name that ends in a hash of the content, as esbuild writes it. */
const HASHED = /^(.+)-[A-Z0-9]{8}\.js$/;

/**
 * The file of a name. A page that loaded its script before an update requests chunks by the hashes of the earlier build. It gets the
 * chunk of the current build, which must not be cached under that name.
 */
export function findFile(files: ReadonlyMap<string, StaticFile>, name: string): StaticFile | undefined {
  const part = HASHED.exec(name)?.[1];
  const exact = files.get(name);
  if (exact || !part) return exact;
  for (const [other, file] of files) if (HASHED.exec(other)?.[1] === part) return { ...file, immutable: false };
  return undefined;
}

/** The scripts of a directory by name; none when it does not exist. */
export async function readStaticFiles(directory: string): Promise<Map<string, StaticFile>> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const scripts = names.filter((name) => name.endsWith('.js'));
  return new Map(await Promise.all(scripts.map(async (name) => [name, await toFile(name, join(directory, name))] as const)));
}

/** Reads and compresses a script. */
export async function toFile(name: string, path: string): Promise<StaticFile> {
  const plain = await readFile(path);
  const [zipped, br] = await Promise.all([
    promisify(gzip)(plain, { level: 9 }),
    // quality 11 saves a few percent more and would delay the first request by seconds
    promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  ]);
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { plain, gzip: zipped, br, etag, immutable: HASHED.test(name) };
}
