import { existsSync } from 'node:fs';

/** The directory of files that are copied to or from tables, relative to the engine's directory, in which its process runs. */
export const COPIES = 'copies';

/** The same as the engine is to read it: it takes `*?{}` in a path for a pattern, and an absolute path may contain them. */
export const ENGINE_COPIES = existsSync('/proc/self/cwd') ? `/proc/self/cwd/${COPIES}` : COPIES;
