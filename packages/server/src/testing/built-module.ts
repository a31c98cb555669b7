import { PACKAGE_FOLDER } from '../kernel/package-folder.js';

/**
 * Address of a compiled module of this package, by its path among the sources without the extension, for scripts of other processes: each of
 * them would take a second of the processor to compile the sources.
 */
export const builtModule = (path: string): string => new URL(`dist/${path}.js`, PACKAGE_FOLDER).href;
