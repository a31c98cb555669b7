import { createHash } from 'node:crypto';

/** SHA-256 of a key or cookie value: all that is stored of it. The values are random, so no salt or slow hash is needed. */
export const secretHash = (value: string): Buffer => createHash('sha256').update(value).digest();
