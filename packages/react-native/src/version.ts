/** Sent as `$lib_version`. A constant, since apps have no file beside the code. */
export const VERSION = '0.2.0';
