import { randomBytes, randomUUID } from 'node:crypto';
import type { Ids } from '../../ports/system.js';
import { createUuid7 } from './uuid7.js';

/** Ids from the machine's randomness and clock. */
export const systemIds: Ids = {
  uuid: () => randomUUID(),
  uuid7: createUuid7(Date.now, randomBytes),
  token: (bytes) => randomBytes(bytes).toString('base64url'),
};
