/** Sent with every event as `$lib_version`; a test holds it to the package's. */
export const VERSION = '0.2.0';
