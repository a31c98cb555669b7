/** The folder of this package, where its migrations and what the build makes lie; the same from sources, compiled files and the bundle. */
export const OWN_FOLDER = new URL(import.meta.url.replace(/^(.*\/)(?:src|dist)\/.*$/, '$1'));
