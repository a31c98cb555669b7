import type { FastifyRequest } from 'fastify';
import { origin } from '../http/origin.js';
import { ApiError } from '../kernel/errors.js';

/**
 * Prevents CSRF: a write with a session cookie must come from the service's own origin, or from no page at all.
 * @throws ApiError permission_denied
 */
export function rejectCrossSiteWrite(request: FastifyRequest): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const from = request.headers.origin;
  if (request.headers['sec-fetch-site'] !== 'cross-site' && (from === undefined || isOwn(from, origin(request)))) return;
  throw new ApiError('permission_denied', 'Requests from other sites may not use a login session. Use a personal API key.');
}

/** A page under https is same-origin where the request arrives by http: a proxy that is not declared as trusted terminates TLS. */
function isOwn(from: string, own: string): boolean {
  if (!URL.canParse(from) || !URL.canParse(own)) return false;
  const [theirs, ours] = [new URL(from), new URL(own)];
  return theirs.host === ours.host && (theirs.protocol === ours.protocol || theirs.protocol === 'https:');
}
