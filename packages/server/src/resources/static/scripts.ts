import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { z } from 'zod';

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

/** The name of the file in a directory that was built of a script: `charts` is `charts-ABCD1234.js`. Null: it was not built. */
export async function findBuiltName(directory: string, script: string): Promise<string | null> {
  const names = await readdir(directory).catch(() => []);
  return names.find((name) => HASHED.exec(name)?.[1] === script) ?? null;
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
async function toFile(name: string, path: string): Promise<StaticFile> {
  const plain = await readFile(path);
  const [zipped, br] = await Promise.all([
    promisify(gzip)(plain, { level: 9 }),
    // quality 11 saves a few percent more and would delay the first request by seconds
    promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  ]);
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { plain, gzip: zipped, br, etag, immutable: HASHED.test(name) };
}

/** The scripts of the npm package posthog-js: `array.js` for the snippet, and those that the SDK loads for its features. */
export interface PosthogScripts {
  /** Version of the package. */
  version: string;
  /** A script by name, or null. The first request reads and compresses it. */
  find(name: string): Promise<StaticFile | null>;
}

const manifestSchema = z.object({ version: z.string() });

/** @param manifest path of the `package.json` of posthog-js; null when it is not installed, which returns null */
export async function openPosthogScripts(manifest = installed()): Promise<PosthogScripts | null> {
  if (manifest === null) return null;
  const { version } = manifestSchema.parse(JSON.parse(await readFile(manifest, 'utf8')));
  const directory = join(dirname(manifest), 'dist');
  const names = new Set((await readdir(directory)).filter((name) => name.endsWith('.js')));
  const files = new Map<string, Promise<StaticFile>>();
  return {
    version,
    find: async (name) => {
      if (!names.has(name)) return null;
      let file = files.get(name);
      if (!file) {
        file = toFile(name, join(directory, name));
        files.set(name, file);
        // an error must not stay cached: the next read may succeed
        file.catch(() => files.delete(name));
      }
      return file;
    },
  };
}

function installed(): string | null {
  try {
    return createRequire(import.meta.url).resolve('posthog-js/package.json');
  } catch {
    return null;
  }
}
