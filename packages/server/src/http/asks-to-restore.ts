import type { FastifyRequest } from 'fastify';
import { isObject } from '../kernel/json.js';
import { readBody } from './body.js';
import { bool } from './fields.js';

/** Whether a change says `deleted: false`, the one that is open to what was deleted. */
export async function requestsRestore(request: FastifyRequest): Promise<boolean> {
  const body = await readBody(request);
  return isObject(body) && bool().safeParse(body['deleted']).data === false;
}
