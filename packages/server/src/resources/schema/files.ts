import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { PAGE, PAGE_SCRIPT, PAGE_STYLE } from './page.js';

/** Something to be sent as it is. */
export interface File {
  type: string;
  bytes: Buffer;
  /** The same, compressed by gzip. */
  gzipped: Buffer;
  etag: string;
}

const require = createRequire(import.meta.url);
const packed = (path: string) => () => readFile(path);
const own = (text: string) => async () => Buffer.from(text);

/** The files of the reference page by name; the page itself is the empty one. */
const SOURCES: Record<string, { type: string; read: () => Promise<Buffer> }> = {
  '': { type: 'text/html; charset=utf-8', read: own(PAGE) },
  'page.js': { type: 'text/javascript; charset=utf-8', read: own(PAGE_SCRIPT) },
  'page.css': { type: 'text/css; charset=utf-8', read: own(PAGE_STYLE) },
  'swagger-ui-bundle.js': {
    type: 'text/javascript; charset=utf-8',
    read: packed(require.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
  },
  'swagger-ui.css': { type: 'text/css; charset=utf-8', read: packed(require.resolve('swagger-ui-dist/swagger-ui.css')) },
};

const files = new Map<string, Promise<File>>();

/** A file of the reference page; undefined when there is none of that name. */
export function pageFile(name: string): Promise<File> | undefined {
  const source = Object.hasOwn(SOURCES, name) ? SOURCES[name] : undefined;
  if (!source) return undefined;
  const known = files.get(name) ?? source.read().then((bytes) => toFile(source.type, bytes));
  files.set(name, known);
  return known;
}

export async function toFile(type: string, bytes: Buffer): Promise<File> {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { type, bytes, gzipped: await promisify(gzip)(bytes), etag };
}
