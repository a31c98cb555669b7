import type { FastifyInstance } from 'fastify';
import type { ProjectByKey } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { registerOperations } from '../../http/openapi/index.js';
import { allowEveryOrigin, answerPlainErrors, leaveBodiesUnread } from '../../http/sdk/index.js';
import type { Intake } from '../capture.js';
import { createCaptureContext } from './context.js';
import { operations } from './operations.js';
import { registerReplay } from './replay.js';
import { registerSegment } from './segment.js';
import { segmentOperations } from './segment-operations.js';
import { answerUnknownPaths } from './unknown-paths.js';
import { registerV0 } from './v0.js';
import { registerV1 } from './v1.js';
import { answerV1Errors } from './v1-errors.js';

/**
 * Mounts the capture endpoints of SDKs. The application must ignore trailing slashes and handle `ApiError`.
 * @param intake stores the events; a request is answered afterwards
 * @param projectByKey the project of a public key, or null
 */
export function registerCapture(
  app: FastifyInstance,
  deps: Deps,
  intake: Pick<Intake, 'capture' | 'state'>,
  projectByKey: (key: string) => Promise<ProjectByKey | null>,
): void {
  registerOperations(app, [...operations, ...segmentOperations]);
  const context = createCaptureContext(deps, intake, projectByKey);
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
