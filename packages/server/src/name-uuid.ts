import { hash } from 'node:crypto';
import { uuidOfHex } from './kernel/ids.js';

/**
 * The name-based UUID (version 5, RFC 9562): equal names give equal UUIDs.
 * @param namespace a UUID, as 16 bytes
 */
export function nameUuid(namespace: Buffer, name: string): string {
  const hex = hash('sha1', Buffer.concat([namespace, Buffer.from(name)]), 'hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return uuidOfHex(`${hex.slice(0, 12)}5${hex.slice(13, 16)}${variant}${hex.slice(17, 32)}`);
}
