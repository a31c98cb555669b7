import { hash } from 'node:crypto';

const NAMESPACE = Buffer.from('6f1c9ad24bd15d5a8c0e37e2b1a4f905', 'hex');

/**
 * The uuid (version 5) of the person who is first known by this distinct id. Events without a profile carry it before
 * there is a person, so that they belong to the person when there is one.
 */
export function personUuid(projectId: number, distinctId: string): string {
  const hex = hash('sha1', Buffer.concat([NAMESPACE, Buffer.from(`${projectId}:${distinctId}`)]), 'hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
