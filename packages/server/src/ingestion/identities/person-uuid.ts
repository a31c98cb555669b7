import { nameUuid } from '../name-uuid.js';

const NAMESPACE = Buffer.from('6f1c9ad24bd15d5a8c0e37e2b1a4f905', 'hex');

/**
 * The uuid (version 5) of the person who is first known by this distinct id. Events without a profile carry it before
 * there is a person, so that they belong to the person when there is one.
 */
export function personUuid(projectId: number, distinctId: string): string {
  return nameUuid(NAMESPACE, `${projectId}:${distinctId}`);
}
