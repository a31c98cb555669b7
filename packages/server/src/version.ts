import { readFileSync } from 'node:fs';
import { PACKAGE_FOLDER } from './kernel/package-folder.js';

/** Version of the running service. */
export const VERSION: string = JSON.parse(readFileSync(new URL('package.json', PACKAGE_FOLDER), 'utf8')).version;
