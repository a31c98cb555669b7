import type { CaptureResponse } from '@tidemark/wire';
import type { FastifyInstance } from 'fastify';

/** Seconds for which browsers may cache a preflight. */
const MAX_AGE = 7200;
const METHODS: readonly string[] = ['GET', 'POST', 'OPTIONS'];

/**
 * Lets pages of any origin call the routes of the scope. With credentials the response repeats the origin, because browsers then refuse
 * `*`. Requested headers are repeated too: SDKs and proxies send many.
 * @param credentials whether browsers may send cookies: not where a login session counts
 */
export function allowEveryOrigin(scope: FastifyInstance, credentials = true): void {
  scope.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    if (credentials) reply.header('vary', 'Origin');
    if (origin === undefined) return;
    reply.header('access-control-allow-origin', credentials ? origin : '*');
    if (credentials) reply.header('access-control-allow-credentials', 'true');
    const requested = request.headers['access-control-request-method'];
    if (request.method !== 'OPTIONS' || requested === undefined) return;
    const headers = request.headers['access-control-request-headers'];
    if (headers !== undefined) reply.header('access-control-allow-headers', headers);
    // methods that the path does not have are allowed too, so that the page can read the 405
    const methods = METHODS.includes(requested) ? METHODS : [...METHODS, requested];
    reply.header('access-control-allow-methods', methods.join(', ')).header('access-control-max-age', String(MAX_AGE));
    return reply.code(204).send();
  });
}

/**
 * Answers 405 to the methods that a path does not have.
 * @param optionsStatus the status of an OPTIONS that is no preflight
 * @param body makes the body of the 405; by default it is one sentence of plain text
 */
export function closeMethods(
  scope: FastifyInstance,
  url: string,
  allowed: readonly string[],
  optionsStatus: 200 | 204 = 200,
  body?: (sentence: string) => object,
): void {
  scope.route({
    method: 'OPTIONS',
    url,
    handler: async (_request, reply) =>
      optionsStatus === 204 ? reply.code(204).send() : reply.send({ status: 'Ok' } satisfies CaptureResponse),
  });
  scope.route({
    method: scope.supportedMethods.filter((method) => method !== 'OPTIONS' && !allowed.includes(method)),
    url,
    handler: async (request, reply) => {
      reply.code(405).header('allow', [...allowed, 'OPTIONS'].join(', '));
      const sentence = `${request.method} is not supported here.`;
      return body ? reply.send(body(sentence)) : reply.type('text/plain; charset=utf-8').send(sentence);
    },
  });
}
