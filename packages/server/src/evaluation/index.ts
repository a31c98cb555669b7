import type { FastifyInstance } from 'fastify';
import type { Deps } from '../deps.js';
import { registerOperations } from '../http/openapi/index.js';
import { allowEveryOrigin, answerPlainErrors, leaveBodiesUnread } from '../http/sdk/index.js';
import { createEvaluator } from './evaluator.js';
import { createFlagsContext } from './routes/context.js';
import { mountFlags } from './routes/flags.js';
import { mountLists } from './routes/lists.js';
import { mountLocalEvaluation } from './routes/local-evaluation.js';
import { operations } from './routes/operations.js';
import { mountRemoteConfig } from './routes/remote-config.js';

export { createFlagDefinitions, type Definitions, type FlagDefinitions } from './definitions.js';
export { createFlagCalls, FLAG_CALLED, type FlagCalls } from './flag-calls.js';
export { type CompiledRegexes, createCompiledRegexes, isRegex } from './regexes.js';
export { registerRemotePayload } from './routes/remote-config.js';
export { environmentOf, subjectOf } from './subject.js';
export { iterationAt, iterationStarts } from './surveys.js';

/** Mounts the endpoints of SDKs: flag evaluation, definitions for local evaluation, remote configuration. */
export function registerFlags(app: FastifyInstance, deps: Deps): void {
  registerOperations(app, operations);
  const evaluator = createEvaluator(deps);
  const flagsContext = createFlagsContext(deps, evaluator);
  app.register(async (sdk) => {
    allowEveryOrigin(sdk);
    leaveBodiesUnread(sdk);
    sdk.register(async (scope) => {
      answerPlainErrors(scope, flagsContext, 'Flags cannot be evaluated at the moment. Try again shortly.');
      mountFlags(scope, flagsContext);
    });
    mountRemoteConfig(sdk, flagsContext);
    mountLists(sdk, flagsContext);
  });
  app.register(async (scope) => {
    allowEveryOrigin(scope, false);
    mountLocalEvaluation(scope, flagsContext);
  });
  app.addHook('onClose', () => evaluator.close());
}
