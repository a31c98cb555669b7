import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { type StaticFile, toFile } from './files.js';

/** The scripts of the npm package posthog-js: the snippet's `array.js`, and what the SDK loads when a feature is on. */
export interface PosthogScripts {
  /** Version of the package. */
  version: string;
  /** A script by its name, or null; it is read and compressed when it is first wanted. */
  find(name: string): Promise<StaticFile | null>;
}

const manifestSchema = z.object({ version: z.string() });

/** @param manifest path of the `package.json` of posthog-js; null when it is not installed, and then so is the answer */
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
        // a disk that fails once may work the next time
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
