import type { FastifyReply, FastifyRequest } from 'fastify';

/** Lets pages of every origin read the response. Browsers send no cookies along, because credentials are not allowed. */
export function allowAllOrigins(reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*');
}

/** Allows what a preflight requests. */
export function answerPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const requested = request.headers['access-control-request-headers'];
  return reply
    .code(204)
    .header('access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS')
    .header('access-control-allow-headers', typeof requested === 'string' ? requested : 'Authorization, Content-Type')
    .header('access-control-max-age', '86400')
    .send();
}
