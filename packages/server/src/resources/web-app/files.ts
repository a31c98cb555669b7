import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** A file of the built app, in the forms that browsers accept. Fonts and pictures are compressed already and have one form. */
export interface AppFile {
  type: string;
  plain: Buffer;
  br?: Buffer;
  gzip?: Buffer;
}

/** What the build of the app consists of. */
export interface AppFiles {
  /** `index.html`, with `__NONCE__` in place of the nonce of a response. */
  page: string;
  /** Files below `/app/` by name. Each name contains a hash of the content. */
  files: ReadonlyMap<string, AppFile>;
}

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

/** Reads the build from its directory; null: the app is not built. */
export async function readAppFiles(directory: string): Promise<AppFiles | null> {
  const page = await readFile(join(directory, 'index.html'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (page === null) return null;
  const folder = join(directory, 'app');
  const names = await readdir(folder);
  const served = names.filter((name) => TYPES[extname(name)] !== undefined);
  const read = async (name: string) => [name, await readForms(folder, name, names)] as const;
  return { page, files: new Map(await Promise.all(served.map(read))) };
}

async function readForms(folder: string, name: string, names: readonly string[]): Promise<AppFile> {
  const type = TYPES[extname(name)] ?? 'application/octet-stream';
  const plain = await readFile(join(folder, name));
  if (!names.includes(`${name}.br`)) return { type, plain };
  const [br, zipped] = await Promise.all([readFile(join(folder, `${name}.br`)), promisify(gzip)(plain)]);
  return { type, plain, br, gzip: zipped };
}
