import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { PAGE, PAGE_SCRIPT, PAGE_STYLE } from './page.js';

/** A file in memory with its compressed form. */
export interface File {
  type: string;
  bytes: Buffer;
  gzipped: Buffer;
  etag: string;
}

const require = createRequire(import.meta.url);
const file = (path: string) => () => readFile(path);
const inline = (text: string) => async () => Buffer.from(text);

/** The files of the reference page by name; the page itself has an empty name. */
const SOURCES: Record<string, { type: string; read: () => Promise<Buffer> }> = {
  '': { type: 'text/html; charset=utf-8', read: inline(PAGE) },
  'page.js': { type: 'text/javascript; charset=utf-8', read: inline(PAGE_SCRIPT) },
  'page.css': { type: 'text/css; charset=utf-8', read: inline(PAGE_STYLE) },
  'swagger-ui-bundle.js': {
    type: 'text/javascript; charset=utf-8',
    read: file(require.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
  },
  'swagger-ui.css': { type: 'text/css; charset=utf-8', read: file(require.resolve('swagger-ui-dist/swagger-ui.css')) },
};

/** Finds the files of the reference page by name, undefined for others. The first request of each reads and compresses it. */
export function createPageFiles(): (name: string) => Promise<File> | undefined {
  const files = new Map<string, Promise<File>>();
  return (name) => {
    const source = Object.hasOwn(SOURCES, name) ? SOURCES[name] : undefined;
    if (!source) return undefined;
    const found = files.get(name) ?? source.read().then((bytes) => toFile(source.type, bytes));
    files.set(name, found);
    return found;
  };
}

export async function toFile(type: string, bytes: Buffer): Promise<File> {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { type, bytes, gzipped: await promisify(gzip)(bytes), etag };
}
