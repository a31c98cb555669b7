import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.js';
import { ApiError } from '../kernel/errors.js';

/** Sends bytes of JSON. */
export const sendJson = (reply: FastifyReply, body: Buffer): FastifyReply =>
  reply.header('content-type', 'application/json; charset=utf-8').send(body);

/** @throws ApiError not_acceptable when the `Accept` header excludes JSON */
export async function requireJsonAccepted({ headers: { accept } }: FastifyRequest): Promise<void> {
  if (accept?.trim() && !/\*\/\*|application\/(\*|json)/i.test(accept)) throw new ApiError('not_acceptable');
}

/** Whether a client says in `If-None-Match` that it has the answer with this `ETag` (RFC 9110, 13.1.2). */
export const matchesEtag = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((mark) => mark.trim() === '*' || bare(mark) === bare(etag));

/** The best encoding that `Accept-Encoding` allows; null: the body is sent as it is. */
export function acceptedEncoding({ headers }: Pick<FastifyRequest, 'headers'>): 'br' | 'gzip' | null {
  const accepted = headers['accept-encoding'] ?? '';
  return /\bbr\b/.test(accepted) ? 'br' : acceptsGzip({ headers }) ? 'gzip' : null;
}

/** Whether the client accepts gzip, also where it accepts a better encoding. */
export const acceptsGzip = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  /\bgzip\b/.test(headers['accept-encoding'] ?? '');

const bare = (mark: string): string => mark.trim().replace(/^W\//, '');

/**
 * Adds the headers that every response needs: `X-Content-Type-Options`, and `Strict-Transport-Security` over HTTPS when the setting gives
 * a `max-age`.
 */
export function sendSecurityHeaders(app: FastifyInstance, { hsts }: Pick<Config, 'hsts'>): void {
  const transport = hsts === null ? null : `max-age=${hsts}`;
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff');
    if (transport !== null && request.protocol === 'https') reply.header('strict-transport-security', transport);
    done();
  });
}

/** Adds `X-Tidemark-Build` to the responses of the API, so that a page that is open during an upgrade notices it. */
export function sendBuildId(app: FastifyInstance, build: string): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/api/')) reply.header('x-tidemark-build', build);
    done();
  });
}
