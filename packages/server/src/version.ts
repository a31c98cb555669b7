import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { PACKAGE_FOLDER } from './kernel/package-folder.js';

/** Version of the running service. */
export const VERSION: string = JSON.parse(readFileSync(new URL('package.json', PACKAGE_FOLDER), 'utf8')).version;

/** Entry files of the build; they name every other file by its hash. */
const ENTRIES = ['dist/bundle/tidemark.js', 'dist/app/index.html'];

/** Id of the running build: the same for equal files, another one after an upgrade. */
export function readBuildId(): string {
  const hash = createHash('sha256').update(VERSION);
  for (const entry of ENTRIES) {
    const file = new URL(entry, PACKAGE_FOLDER);
    if (existsSync(file)) hash.update(readFileSync(file));
  }
  return `${VERSION}-${hash.digest('hex').slice(0, 12)}`;
}
