import type { FastifyRequest } from 'fastify';
import { origin } from '../http/origin.js';
import { ApiError } from '../kernel/errors.js';

/**
 * Keeps other sites from writing with the cookie of our user: a write must come from our own origin or from no page at all.
 * @throws ApiError permission_denied
 */
export function rejectCrossSiteWrite(request: FastifyRequest): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const from = request.headers.origin;
  if (request.headers['sec-fetch-site'] !== 'cross-site' && (from === undefined || isOwn(from, origin(request)))) return;
  throw new ApiError('permission_denied', 'Requests from other sites may not use a login session. Use a personal API key.');
}

/** A page under https counts as ours where only http is seen: a proxy that is not declared as trusted ends TLS there. */
function isOwn(from: string, own: string): boolean {
  if (!URL.canParse(from) || !URL.canParse(own)) return false;
  const [theirs, ours] = [new URL(from), new URL(own)];
  return theirs.host === ours.host && (theirs.protocol === ours.protocol || theirs.protocol === 'https:');
}
