import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../kernel/errors.js';

/** Sends bytes of JSON. */
export const sendJson = (reply: FastifyReply, body: Buffer): FastifyReply =>
  reply.header('content-type', 'application/json; charset=utf-8').send(body);

/** @throws ApiError not_acceptable when the `Accept` header excludes JSON */
export async function requireJsonAccepted({ headers: { accept } }: FastifyRequest): Promise<void> {
  if (accept?.trim() && !/\*\/\*|application\/(\*|json)/i.test(accept)) throw new ApiError('not_acceptable');
}
