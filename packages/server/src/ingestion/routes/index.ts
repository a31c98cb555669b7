import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.js';
import { registerOperations } from '../../http/openapi/index.js';
import { allowEveryOrigin, answerPlainErrors, leaveBodiesUnread } from '../../http/sdk/index.js';
import { createCaptureContext } from './context.js';
import { operations } from './operations.js';
import { registerReplay } from './replay.js';
import { registerSegment } from './segment.js';
import { segmentOperations } from './segment-operations.js';
import { registerV0 } from './v0.js';
import { answerV1Errors, registerV1, v1Error } from './v1.js';

/** Mounts the capture endpoints of SDKs. The application must ignore trailing slashes and handle `ApiError`. */
export function registerCapture(app: FastifyInstance, deps: Deps): void {
  registerOperations(app, [...operations, ...segmentOperations]);
  const context = createCaptureContext(deps);
  // a scope per protocol, because each has its own error format
  app.register(async (sdk) => {
    allowEveryOrigin(sdk);
    leaveBodiesUnread(sdk);
    sdk.register(async (scope) => {
      answerPlainErrors(scope, context);
      registerV0(scope, context);
      registerReplay(scope, context);
    });
    sdk.register(async (scope) => {
      answerV1Errors(scope, context);
      registerV1(scope, context);
    });
    sdk.register(async (scope) => registerSegment(scope, context), { prefix: '/v1' });
  });
  answerUnknownPaths(app);
  for (const url of ['/_readiness', '/_liveness']) app.get(url, async (_request, reply) => reply.type('text/plain').send('ok'));
}

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
