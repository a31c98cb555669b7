import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { type StaticFile, toFile } from './files.js';

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
