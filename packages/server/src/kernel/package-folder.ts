/**
 * URL of this package's folder, which contains its migrations and build output. It is the same for sources, compiled files and the
 * bundle.
 */
export const PACKAGE_FOLDER = new URL(import.meta.url.replace(/^(.*\/)(?:src|dist)\/.*$/, '$1'));
