import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.js';

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
