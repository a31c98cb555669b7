import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { allowEveryOrigin } from '../../http/sdk/index.js';
import { v1Error } from './v1-errors.js';

/** Prefixes of paths whose SDKs read errors as plain text. */
const V0_PREFIXES = ['/e', '/i', '/s', '/batch', '/capture', '/decide', '/engage', '/flags', '/track'];
const V1_PREFIX = '/i/v1';

const SENTENCE = 'There is nothing at this path. Check the host and the path of the client library.';

/**
 * Answers 404 below the paths of SDKs, in the format of their protocol and with CORS headers: without them a browser reports a network
 * failure, and an SDK retries for ever.
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
