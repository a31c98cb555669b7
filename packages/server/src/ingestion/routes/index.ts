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
 * Mounts everything that SDKs send to. Expects an application that ignores trailing slashes and answers `ApiError`s.
 * @param intake takes the events; a request is answered when it has
 * @param projectByKey the project of a public key, or null
 */
export function registerCapture(
  app: FastifyInstance,
  deps: Deps,
  intake: Pick<Intake, 'capture' | 'state'>,
  projectByKey: (key: string) => Promise<ProjectByKey | null>,
): void {
  registerOperations(app, [...operations, ...segmentOperations]);
  const door = createCaptureContext(deps, intake, projectByKey);
  // scopes of their own, because each protocol says in its own way what went wrong
  app.register(async (sdk) => {
    allowEveryOrigin(sdk);
    leaveBodiesUnread(sdk);
    sdk.register(async (scope) => {
      answerPlainErrors(scope, door);
      registerV0(scope, door);
      registerReplay(scope, door);
    });
    sdk.register(async (scope) => {
      answerV1Errors(scope, door);
      registerV1(scope, door);
    });
    sdk.register(async (scope) => registerSegment(scope, door), { prefix: '/v1' });
  });
  answerUnknownPaths(app);
  for (const url of ['/_readiness', '/_liveness']) app.get(url, async (_request, reply) => reply.type('text/plain').send('ok'));
}
