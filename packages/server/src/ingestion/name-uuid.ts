import { hash } from 'node:crypto';

/**
 * The name-based UUID (version 5, RFC 9562): equal names give equal UUIDs.
 * @param namespace a UUID, as 16 bytes
 */
export function nameUuid(namespace: Buffer, name: string): string {
  const hex = hash('sha1', Buffer.concat([namespace, Buffer.from(name)]), 'hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
