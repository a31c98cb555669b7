import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.js';

/**
 * Adds what every answer says to browsers: not to guess the type of a body, and, with the setting and by HTTPS, to use HTTPS for so
 * many seconds.
 */
export function sendSecurityHeaders(app: FastifyInstance, { hsts }: Pick<Config, 'hsts'>): void {
  const transport = hsts === null ? null : `max-age=${hsts}`;
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff');
    if (transport !== null && request.protocol === 'https') reply.header('strict-transport-security', transport);
    done();
  });
}
