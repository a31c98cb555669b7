/** The version of the package, `$lib_version` of every event. A test compares it with package.json. */
export const VERSION = '0.2.0';
