/** Sent as `$lib_version`. A constant, so that bundlers need no file beside the code. */
export const VERSION = '0.2.0';
