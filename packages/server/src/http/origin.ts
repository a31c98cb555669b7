import type { FastifyRequest } from 'fastify';

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

/** Scheme, host and port under which the caller reached us; X-Forwarded-* count only behind a trusted proxy. */
export function origin(request: FastifyRequest): string {
  const scheme = request.protocol === 'https' ? 'https' : 'http';
  const host = HOST.test(request.host) ? request.host : 'localhost';
  const port = /:\d+$/.test(host) ? '' : forwardedPort(request);
  const address = `${scheme}://${host}${port}`;
  return URL.canParse(address) ? new URL(address).origin : `${scheme}://localhost`;
}

/** The port that a proxy was reached at, where the host does not tell. */
function forwardedPort({ headers, ips = [] }: FastifyRequest): string {
  const forwarded = headers['x-forwarded-port'];
  const last = typeof forwarded === 'string' ? (forwarded.split(',').at(-1)?.trim() ?? '') : '';
  // only behind a trusted proxy are there addresses beyond that of the connection
  return ips.length > 1 && /^\d{1,5}$/.test(last) ? `:${last}` : '';
}
