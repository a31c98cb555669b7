import { readFileSync } from 'node:fs';
import { OWN_FOLDER } from './kernel/own-folder.js';

/** The version of the running service, from its package. */
export const VERSION: string = JSON.parse(readFileSync(new URL('package.json', OWN_FOLDER), 'utf8')).version;
