import { nameUuid } from '../name-uuid.js';

const NAMESPACE = Buffer.from('6f1c9ad24bd15d5a8c0e37e2b1a4f905', 'hex');

/**
 * The UUID (version 5) of the person that a distinct id creates. Events without a profile carry it before the person exists, so they
 * belong to the person as soon as it is created.
 */
export function personUuid(projectId: number, distinctId: string): string {
  return nameUuid(NAMESPACE, `${projectId}:${distinctId}`);
}
