import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { INTER_RANGES, INTER_VERSION } from '../../http/page/fonts.js';

const NAME = /^inter-(\d+\.\d+\.\d+)-([a-z-]+)\.woff2$/;

/** Makes the finder of Inter's files by their names below `/static/`; null: there is no such file. Each is read once. */
export function createFontFinder(): (name: string) => Promise<Buffer | null> {
  const files = new Map<string, Promise<Buffer>>();
  return async (name) => {
    const [, version, script = ''] = NAME.exec(name) ?? [];
    if (version !== INTER_VERSION || !Object.hasOwn(INTER_RANGES, script)) return null;
    const known = files.get(script);
    if (known) return known;
    const manifest = createRequire(import.meta.url).resolve('@fontsource-variable/inter/package.json');
    const file = readFile(join(dirname(manifest), 'files', `inter-${script}-wght-normal.woff2`));
    files.set(script, file);
    // an error must not stay cached: the next read may succeed
    file.catch(() => files.delete(script));
    return file;
  };
}
