import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { allowEveryOrigin } from '../../http/sdk/index.js';
import { v1Error } from './v1-errors.js';

/** Below these lie only paths for SDKs that read errors as plain text. */
const V0_PREFIXES = ['/e', '/i', '/s', '/batch', '/capture', '/decide', '/engage', '/flags', '/track'];
const V1_PREFIX = '/i/v1';

const SENTENCE = 'There is nothing at this path. Check the host and the path of the client library.';

/**
 * Answers 404 below the paths of SDKs, in the shape of their protocol and open to pages of every origin: a browser reports an answer
 * without CORS headers as a network failure, and an SDK tries again for ever.
 */
export function answerUnknownPaths(app: FastifyInstance): void {
  for (const prefix of V0_PREFIXES) {
    mount(app, prefix, (_request, reply) => reply.type('text/plain; charset=utf-8').send(SENTENCE));
  }
  mount(app, V1_PREFIX, (_request, reply) => reply.send(v1Error('not_found', SENTENCE)));
}

function mount(app: FastifyInstance, prefix: string, send: (request: FastifyRequest, reply: FastifyReply) => FastifyReply): void {
  app.register(
    async (scope) => {
      allowEveryOrigin(scope);
      scope.setNotFoundHandler(async (request, reply) => send(request, reply.code(404)));
    },
    { prefix },
  );
}
